import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { createGroup, untilReachable } from '../../testing/machine-group.ts'
import { blueGreen, canary, linear, pausingBeforeShifts } from '../../testing/strategies.ts'
import { eventsOf, pausesOf, startWorld, type World } from '../../testing/world.ts'

const strategies = [
  ['rolling', null],
  ['blue/green', blueGreen],
  ['linear', linear],
  ['canary with pauses', pausingBeforeShifts(canary)],
] as const

describe('a cloud without events', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.concurrent.each(strategies)('%s: polling alone completes the release', async (_name, strategy) => {
    const org = await world.organization({ delivery: false })
    const { moduleInstanceId } = await org.service(strategy)
    const { id } = await org.deploy(moduleInstanceId)

    expect((await org.continueToEnd(id)).status).toBe('SUCCESS')
  })

  test.concurrent('a failure is detected as well', async () => {
    const org = await world.organization({ delivery: false })
    const { moduleInstanceId } = await org.service(blueGreen)
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:2-crash')

    await org.untilStatus(id, 'ROLLED_BACK')
  })
})

describe('a cloud with late, duplicate, reordered and lost events', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
    await world.cloud.setDeliveryFaults({ drop: 0.3, duplicate: 0.7, delayMs: 200, shuffle: true })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.concurrent.each(strategies)('%s: ends with the expected status, and keeps it', async (_name, strategy) => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(strategy)
    const { id } = await org.deploy(moduleInstanceId)

    const done = await org.continueToEnd(id)

    expect(done.status).toBe('SUCCESS')
    const pauses = pausesOf(done)
    expect(new Set(pauses).size).toBe(pauses.length)
    expect(await org.calls('UpdateService', { accepted: true })).toHaveLength(1)
    expect(await org.calls('ContinueServiceDeployment', { accepted: true })).toHaveLength(pauses.length)
    const times = eventsOf(done).map(({ startedAt }) => startedAt)
    expect(times).toEqual(times.toSorted())
    await untilDelivered(world)
    expect(await org.get(id)).toEqual(done)
  })
})

describe('a cloud that is rarely polled', () => {
  let world: World
  beforeAll(async () => {
    // Polls start a minute after the last change, so that releases that end within seconds ended because of events.
    world = await startWorld({ env: { SLUICE_POLL_MIN_MS: '60000', SLUICE_POLL_MAX_MS: '60000' } })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.concurrent.each(strategies)('%s: events alone complete the release', async (_name, strategy) => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(strategy)
    const { id } = await org.deploy(moduleInstanceId)

    expect((await org.continueToEnd(id)).status).toBe('SUCCESS')
  })

  test.concurrent('events of commands complete a release to a group, although they do not have its ARN', async () => {
    const org = await world.organization()
    const group = await createGroup(world, org, { size: 2 })
    await untilReachable(org, group, 2)
    const { id } = await org.deploy(group.moduleInstanceId)

    expect((await org.untilStatus(id, 'SUCCESS')).status).toBe('SUCCESS')
  })
})

const untilDelivered = (world: World) =>
  eventually(
    'all events to be delivered',
    () => world.cloud.delivery(),
    ({ pending }) => pending === 0,
  )
