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

describe('a cloud that tells nothing', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.concurrent.each(strategies)('%s: looking alone carries the release to its end', async (_name, strategy) => {
    const org = await world.organization({ delivery: false })
    const { moduleInstanceId } = await org.service(strategy)
    const { id } = await org.deploy(moduleInstanceId)

    expect((await org.continueToEnd(id)).status).toBe('SUCCESS')
  })

  test.concurrent('a failure is found out as well', async () => {
    const org = await world.organization({ delivery: false })
    const { moduleInstanceId } = await org.service(blueGreen)
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:2-crash')

    await org.untilStatus(id, 'ROLLED_BACK')
  })
})

describe('a cloud whose events come late, twice, in any order or never', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
    await world.cloud.setDeliveryFaults({ drop: 0.3, duplicate: 0.7, delayMs: 200, shuffle: true })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.concurrent.each(strategies)('%s: ends as it should, and stays that way', async (_name, strategy) => {
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

describe('a cloud that is hardly ever looked at', () => {
  let world: World
  beforeAll(async () => {
    // Looking comes a minute after the last change at the earliest: what ends within seconds was ended by events.
    world = await startWorld({ env: { SLUICE_POLL_MIN_MS: '60000', SLUICE_POLL_MAX_MS: '60000' } })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.concurrent.each(strategies)('%s: its events alone carry the release to its end', async (_name, strategy) => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(strategy)
    const { id } = await org.deploy(moduleInstanceId)

    expect((await org.continueToEnd(id)).status).toBe('SUCCESS')
  })

  test.concurrent('a group of machines: events about its commands, which do not name it by its ARN, do so as well', async () => {
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
