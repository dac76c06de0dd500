import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pipelineRuns } from '../../../pipelines/pipelines/tables.ts'
import { createFastClock } from '../../../platform/clock.ts'
import { eq } from '../../../platform/db/drizzle.ts'
import { query } from '../../../platform/engine/admin.ts'
import { addressIn, dataDirectory } from '../../../platform/engine/sockets.ts'
import { eventually } from '../../../testing/eventually.ts'
import { testFunction } from '../../../testing/functions.ts'
import { eventsOf, startWorld, type TestOrganization, type World } from '../../../testing/world.ts'

/** Speed of the service's clock: one hour takes three seconds. */
const speed = 1_200
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/**
 * Tolerance in clock time: eighteen real seconds, which a slow machine may need to pass a run's message to the engine.
 */
const marginMs = dayMs / 4
/** Time in milliseconds for which an authenticated credential is cached. */
const rememberedMs = 1_000

const epoch = new Date()
const clock = createFastClock(speed, epoch)
let world: World
let dataDir: string
let org: TestOrganization
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sluice-clock-'))
  world = await startWorld({ speed, clockEpoch: epoch, env: { SLUICE_DATA_DIR: dataDir } })
  org = await world.organization()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

const approvalWithin = (ms: number) => ({
  id: 'ask',
  type: 'approval',
  approval: { timeout_seconds: ms / 1_000, on_timeout: 'approve' },
})

/** Returns when the engine will send the wake-up of a run, in real time. */
async function wakeUpAtEngine(runId: string): Promise<Date | undefined> {
  const admin = addressIn(dataDirectory(join(dataDir, 'engine')), 'admin')
  // Selects all columns, because the engine (1.7) leaves this one empty when it is selected alone.
  const statement = `select * from sys_invocation
    where target_service_name = 'run' and target_service_key = '${runId}' and status = 'scheduled'`
  const [scheduled] = (await query(admin, statement)) as { scheduled_start_at: string }[]
  return scheduled && new Date(scheduled.scheduled_start_at)
}

test('a release that bakes for an hour ends in seconds, at the time of the fast clock', async () => {
  const canary = { canary_percent: 25, canary_bake_time_in_minutes: 60 }
  const fn = await testFunction(org, {
    strategy: { type: 'canary', bake_time_in_minutes: 0, canary },
    block: { timeout: dayMs / 1_000 }, // 72 s for a slow machine
  })
  const begunAt = performance.now()
  const { id } = await fn.deploy()
  const done = await org.untilStatus(id, 'SUCCESS')
  expect(performance.now() - begunAt, 'real time').toBeLessThan(hourMs / 10)

  const shifts = eventsOf(done).filter(({ stepCode }) => stepCode === 'PRODUCTION_TRAFFIC_SHIFT')
  const [canaryMs = 0, allMs = 0] = shifts.map(({ startedAt }) => Date.parse(startedAt))
  expect(allMs - canaryMs).toBeGreaterThanOrEqual(hourMs)
  expect(allMs).toBeLessThan(clock.now().getTime())
})

test('a pipeline that waits an hour for approval continues automatically, at the time of the fast clock', async () => {
  const { id } = await org.pipelines.run([approvalWithin(hourMs)])
  const done = await org.pipelines.untilOver(id)
  expect(done.status).toBe('SUCCESS')
  const waitedMs = Date.parse(done.completedAt ?? '') - Date.parse(done.startedAt ?? '')
  expect(waitedMs).toBeGreaterThanOrEqual(hourMs)
  expect(Date.parse(done.completedAt ?? '')).toBeLessThan(clock.now().getTime())
})

test('the engine wakes up a run when the clock reaches the time in its row', async () => {
  const { id } = await org.pipelines.run([approvalWithin(dayMs)])
  await org.pipelines.untilStep(id, 'ask', 'PENDING_APPROVAL')
  const realAt = await eventually('the wake-up to be with the engine', () => wakeUpAtEngine(id), Boolean)
  const [run] = await world.db.select().from(pipelineRuns).where(eq(pipelineRuns.id, id))
  const shownMs = epoch.getTime() + clock.elapsedMs((realAt?.getTime() ?? 0) - epoch.getTime())
  expect(Math.abs(shownMs - (run?.wakeAt?.getTime() ?? 0))).toBeLessThan(marginMs)
  await org.pipelines.cancel(id)
})

test('SQL expires a key exactly when the clock reaches its time', async () => {
  const expiresAt = new Date(clock.now().getTime() + 2 * hourMs)
  const data = { name: 'for two hours', expiresAt: expiresAt.toISOString() }
  const { token } = await org.client.done<{ token: string }>('POST', '/api-keys', { data })
  const look = async () => {
    const headers = { authorization: `Bearer ${token}` }
    const [before, { status }, after] = [clock.now(), await fetch(`${world.url}/auth/whoami`, { headers }), clock.now()]
    return { status, before, after }
  }
  const last = await eventually('the key to expire', look, ({ status, before }) => {
    if (status === 200)
      expect(before.getTime(), 'a key works too long').toBeLessThan(expiresAt.getTime() + rememberedMs)
    return status === 401
  })
  expect(last.after.getTime(), 'a key expires too early').toBeGreaterThanOrEqual(expiresAt.getTime())
})
