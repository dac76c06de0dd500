import type { Project } from '@sluice/contract'
import { expect, test } from 'vitest'
import { createFastClock } from '../src/platform/clock.ts'
import { Pipelines } from '../src/testing/pipelines.ts'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { PatientClient } from './patient-client.ts'

/** Speed of the service's clock: an hour takes three seconds. */
const speed = 1_200
const hourMs = 3_600_000
const waitMs = 6 * hourMs

test('a service with an accelerated clock ends a wait at the time of that clock, although it is killed meanwhile', async () => {
  const epoch = new Date()
  const clock = createFastClock(speed, epoch)
  const env = { SLUICE_CLOCK_SPEED: String(speed), SLUICE_CLOCK_EPOCH: epoch.toISOString() }
  const { service, people: client } = await startCrashWorld({ speed, people: settle, env })
  const [project] = await client.done<Project[]>('GET', '/projects')
  const pipelines = new Pipelines(client, project?.id ?? '')
  const begunAt = performance.now()
  const approval = { timeout_seconds: waitMs / 1_000, on_timeout: 'approve' }
  const { id } = await pipelines.run([{ id: 'ask', type: 'approval', approval }])
  await pipelines.untilStep(id, 'ask', 'PENDING_APPROVAL')
  await service.kill('service and engine')
  service.start()

  const { status, startedAt, completedAt } = await pipelines.untilOver(id)
  const [startedMs, completedMs] = [Date.parse(startedAt ?? ''), Date.parse(completedAt ?? '')]
  expect(status).toBe('SUCCESS')
  expect(startedMs, 'begins at the epoch or after it').toBeGreaterThanOrEqual(epoch.getTime())
  expect(completedMs - startedMs, 'time that passed for the service').toBeGreaterThanOrEqual(waitMs)
  expect(completedMs, 'ends before the time that the same clock shows here').toBeLessThan(clock.now().getTime())
  expect(performance.now() - begunAt, 'real time').toBeLessThan(waitMs / 60)
})

async function settle(world: World): Promise<PatientClient> {
  const organization = await world.organization({ delivery: false })
  return new PatientClient(world.url, organization.client.token)
}
