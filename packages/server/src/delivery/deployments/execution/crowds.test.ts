import { expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../../../../testing/until-passes.ts'
import { moduleInstances } from '../../../modules/module-instances/tables.ts'
import { eq } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { newId } from '../../../platform/ids.ts'
import { openTestDatabase } from '../../../testing/database.ts'
import { seedInstances, seedOrganization } from '../../../testing/http-world.ts'
import { finishedDeployment } from '../../../testing/resources.ts'
import { deployments } from '../store/tables.ts'
import { crowdMsOf, startCountingCrowds } from './crowds.ts'
import { later } from './state.ts'

const now = new Date('2026-11-27T10:00:00.000Z')

test('all waiting deployments together are polled 12 times a second, regardless of their number', () => {
  expect([0, 12, 3_600, 50_000].map((waiting) => Math.round(crowdMsOf(waiting) / 1_000))).toEqual([0, 1, 300, 4_167])
})

test('only deployments of the same organization whose next poll is more than a minute away are counted', async () => {
  const { db, close } = await openTestDatabase()
  onTestFinished(close)
  const far = [later(now, 120_000), later(now, 86_400_000)]
  const many = await insertWaiting(db, [later(now, -1_000), later(now, 30_000), ...far])
  const one = await insertWaiting(db, [later(now, 30_000), later(now, 120_000)])

  const { crowdMs, stop } = startCountingCrowds({ db, clock: () => now }, 10)
  onTestFinished(stop)
  expect([crowdMs(many), crowdMs(one)]).toEqual([0, 0])
  await untilPasses(() => expect([crowdMs(many), crowdMs(one)]).toEqual([crowdMsOf(2), crowdMsOf(1)]))

  await db.update(deployments).set({ status: 'SUCCESS', wakeAt: null, deadlineAt: null, waitingFor: null })
  await untilPasses(() => expect([crowdMs(many), crowdMs(one)]).toEqual([0, 0]))
})

/** Inserts waiting deployments of a new organization, each of another instance. */
async function insertWaiting(db: Db, wakeAts: readonly Date[]): Promise<string> {
  const { organizationId } = await seedOrganization(db)
  await seedInstances(db, organizationId, wakeAts.length)
  const instances = await db.select().from(moduleInstances).where(eq(moduleInstances.organizationId, organizationId))
  for (const [index, wakeAt] of wakeAts.entries()) {
    const { id: moduleInstanceId = '', projectId = '', environmentId = '' } = instances[index] ?? {}
    const place = { organizationId, moduleInstanceId, projectId, environmentId }
    const waits = { status: 'IN_PROGRESS', wakeAt, deadlineAt: later(now, 86_400_000), waitingFor: 'a person' } as const
    await db.insert(deployments).values({ id: newId('dep'), ...finishedDeployment, ...place, ...waits })
  }
  return organizationId
}
