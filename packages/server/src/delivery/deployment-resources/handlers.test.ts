import { expect, onTestFinished, test } from 'vitest'
import { openCloud } from '../../cloud/adapter/access.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { seedInstances, seedOrganization } from '../../testing/http-world.ts'
import { finishedDeployment } from '../../testing/resources.ts'
import { deployments } from '../deployments/store/tables.ts'
import { storeResources } from './handlers.ts'
import { findAtEnd } from './store.ts'
import { toResources } from './wake.ts'

test('a message that arrives before the end of the deployment is stored is retried until it is', async () => {
  const { db, close } = await openTestDatabase()
  onTestFinished(close)
  const { organizationId } = await seedOrganization(db)
  const [moduleInstanceId = ''] = await seedInstances(db, organizationId, 1)
  const [instance] = await db.select().from(moduleInstances).where(eq(moduleInstances.id, moduleInstanceId))
  const { projectId = '', environmentId = '' } = instance ?? {}
  const id = newId('dep')
  const now = new Date('2026-11-27T10:00:00.000Z')
  const runs = { status: 'IN_PROGRESS', wakeAt: now, deadlineAt: now, waitingFor: 'the cloud' } as const
  const place = { organizationId, moduleInstanceId, projectId, environmentId }
  await db.insert(deployments).values({ id, ...finishedDeployment, ...place, ...runs })
  const parts = { db, cloud: openCloud(), clock: () => now }
  onTestFinished(() => parts.cloud.close())
  const called = (failed?: number) => ({
    id,
    payload: { ...(failed !== undefined && { failed }) },
    engineRunId: 'inv_1',
  })

  expect(await storeResources(parts, called())).toEqual([toResources(id, { failed: 1 }, 15_000)])
  expect(await storeResources(parts, called(3))).toEqual([toResources(id, { failed: 4 }, 345_000)])
  expect(await storeResources(parts, called(4)), 'whoever ends it later tells of it anew').toEqual([])
  expect(await findAtEnd(db, organizationId, id)).toBeUndefined()

  await db.update(deployments).set({ status: 'SUCCESS', wakeAt: null, deadlineAt: null, waitingFor: null })
  expect(await storeResources(parts, called())).toEqual([])
  expect(await findAtEnd(db, organizationId, id)).toMatchObject({ deploymentId: id })
})
