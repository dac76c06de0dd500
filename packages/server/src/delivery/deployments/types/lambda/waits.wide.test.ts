import { defaultTiming } from '@sluice/cloud-sim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../platform/clock.ts'
import { eq } from '../../../../platform/db/drizzle.ts'
import { eventually } from '../../../../testing/eventually.ts'
import { functionDataOf, testFunction } from '../../../../testing/functions.ts'
import { eventsOf, startWorld, stepsOf, type World } from '../../../../testing/world.ts'
import { deployments } from '../../store/tables.ts'

/** Milliseconds by which the server's clock is ahead of the wall clock. The tests share it, so they run in order. */
let aheadMs = 0
const pass = (minutes: number) => {
  aheadMs += minutes * 60_000
}

let world: World
beforeAll(async () => {
  world = await startWorld({ clock: createClock(() => new Date(Date.now() + aheadMs)) })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const canary = (more: object = {}) => ({
  type: 'canary',
  bake_time_in_minutes: 30,
  canary: { canary_percent: 25, canary_bake_time_in_minutes: 60 },
  ...more,
})

async function start(strategy: Record<string, unknown> | null = null) {
  const org = await world.organization()
  const fn = await testFunction(org, { strategy })
  const weights = async () => {
    const { FunctionVersion, RoutingConfig } = await fn.alias()
    return [FunctionVersion, RoutingConfig?.AdditionalVersionWeights]
  }
  const until = (what: string, expected: unknown) =>
    eventually(what, weights, (found) => JSON.stringify(found) === JSON.stringify(expected))
  /** Waits until the deployment has observed its shift, from which it counts the bake time. */
  const untilBaking = (id: string) =>
    org.until(id, 'baking', (seen) => stepsOf(seen).includes('PRODUCTION_TRAFFIC_SHIFT'))
  return { org, fn, weights, until, untilBaking }
}

const shared = ['1', { 2: 0.25 }]
const all = ['2', undefined]
const before = ['1', undefined]

test('bakes after each shift for the configured time without polling', async () => {
  const { org, fn, weights, until, untilBaking } = await start(canary())
  const { id } = await fn.deploy()
  await untilBaking(id)
  expect(await weights()).toEqual(shared)
  pass(59)
  await new Promise((resolve) => setTimeout(resolve, 2_500)) // longer than one round of the reconciler
  expect(await weights()).toEqual(shared)
  pass(1)
  await until('all of the calls', all)
  await org.until(id, 'baking', (seen) => stepsOf(seen).includes('BAKE'))
  expect((await org.get(id)).status).toBe('IN_PROGRESS')
  pass(30)
  const done = await org.untilStatus(id, 'SUCCESS')
  expect(stepsOf(done).slice(-2)).toEqual(['BAKE', 'COMPLETED'])
}, 60_000)

test('a release that is cancelled while it bakes is restored at once', async () => {
  const { org, fn, until } = await start(canary())
  const { id } = await fn.deploy()
  await until('a quarter of the calls', shared)
  await org.cancel(id)
  expect((await org.untilStatus(id, 'ROLLED_BACK')).error?.code).toBe('Sluice:Deployments:CANCELLED')
  await until('none of the calls', before)
}, 60_000)

test('a pause that times out is rolled back if the module says so', async () => {
  const pause = { stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeout_in_minutes: 90, timeout_action: 'ROLLBACK' }
  const { org, fn, until, untilBaking } = await start(canary({ pause_stages: [pause] }))
  const { id } = await fn.deploy()
  const first = await org.untilPaused(id)
  await org.continue(id, first)
  await untilBaking(id)
  pass(60)
  await org.untilPaused(id, [first])
  pass(90)

  const over = await org.untilStatus(id, 'ROLLED_BACK')

  expect(over.error).toMatchObject({
    code: 'Sluice:Deployments:PAUSE_TIMED_OUT',
    message: 'No one continued the pause at PRE_PRODUCTION_TRAFFIC_SHIFT in time, so the release was rolled back.',
  })
  await until('none of the calls', before)
}, 60_000)

test('a pause that times out is continued if the module says so', async () => {
  const pause = { stage: 'POST_PRODUCTION_TRAFFIC_SHIFT', timeout_in_minutes: 45, timeout_action: 'CONTINUE' }
  const { org, fn } = await start({ type: 'all_at_once', pause_stages: [pause] })
  const { id } = await fn.deploy()
  await org.untilPaused(id)
  pass(45)

  const done = await org.untilStatus(id, 'SUCCESS')

  const continued = eventsOf(done).find(({ stepCode }) => stepCode === 'CONTINUED')
  expect(continued?.message).toBe('Continued because the time to decide was over.')
  expect(functionDataOf(done).acceptedPauseControl).toBeUndefined()
}, 60_000)

test('a pause that times out during a freeze is continued only after the freeze', async () => {
  const pause = { stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeout_in_minutes: 45, timeout_action: 'CONTINUE' }
  const { org, fn, weights } = await start({ type: 'all_at_once', pause_stages: [pause] })
  const { id } = await fn.deploy()
  await org.untilPaused(id)
  const inMinutes = (minutes: number) => new Date(Date.now() + aheadMs + minutes * 60_000).toISOString()
  const window = { from: inMinutes(-1), until: inMinutes(120) }
  await org.client.done('POST', '/freezes', { data: { name: 'Holidays', stops: ['CONTINUES'], window } })
  pass(45)

  const row = async () => (await world.db.select().from(deployments).where(eq(deployments.id, id)))[0]
  const ended = await eventually(
    'the deployment to wait for the end of the freeze',
    row,
    (seen) => seen?.waitingFor === 'the end of a freeze' || seen?.status !== 'IN_PROGRESS',
  )
  expect(ended?.status, 'the freeze did not stop the pause from continuing at its time-out').toBe('IN_PROGRESS')
  expect(await weights()).toEqual(before)
  pass(76)

  const done = await org.untilStatus(id, 'SUCCESS', 'ROLLED_BACK')
  expect(done.status, 'the deadline of the deployment passed during the freeze').toBe('SUCCESS')
}, 60_000)

test('a release whose function never completes its update ends with its timeout and changes nothing', async () => {
  const { org, fn, weights } = await start()
  const { id } = await fn.deploy('v2-hang')
  await org.until(id, 'at work', (seen) => stepsOf(seen).includes('UPDATE_CODE'))
  pass(31)
  const over = await org.untilStatus(id, 'ERROR')
  expect(over.error?.code).toBe('Sluice:Deployments:TIMED_OUT')
  expect(await weights()).toEqual(before)
}, 60_000)

test('a release that is cancelled while it waits for the function ends at once, and the next one starts', async () => {
  const { org, fn } = await start()
  // Longer than any test: the update completes when the test says so, not when the machine is slow.
  const updateSeconds = 24 * 3_600
  await world.cloud.setTiming({ functionUpdateSeconds: updateSeconds })
  const { id } = await fn.deploy('v2')
  await org.until(id, 'at work', (seen) => stepsOf(seen).includes('UPDATE_CODE'))
  expect((await org.cancel(id)).status).toBe('CANCELLED')
  await world.cloud.setTiming({ functionUpdateSeconds: defaultTiming.functionUpdateSeconds })

  const next = await fn.deploy('v3')
  await world.cloud.advance(updateSeconds)

  expect((await org.untilStatus(next.id, 'SUCCESS', 'ERROR')).status).toBe('SUCCESS')
  // The function received v2 as well, which was never published as a version.
  expect(await fn.versions()).toEqual(['1', '2'])
  expect(await fn.alias()).toMatchObject({ FunctionVersion: '2' })
  expect(functionDataOf(await org.get(next.id)).s3Key).toBe('v3.zip')
}, 60_000)
