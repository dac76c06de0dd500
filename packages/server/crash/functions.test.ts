import type { Call, SimControl } from '@sluice/cloud-sim'
import type { Deployment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import { functionDataOf } from '../src/testing/functions.ts'
import { pausesOf, stepsOf, type World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { createFunctionInstance } from './function-instance.ts'
import { openGateway, type Watcher } from './gateway.ts'
import { Moments, NeverHeard } from './moments.ts'
import { Random } from './random.ts'
import { quickMs, User } from './user.ts'

/** The bakes are the service's own and would take real minutes: the pauses are what it is killed at. */
const canary = {
  type: 'canary',
  bake_time_in_minutes: 0,
  canary: { canary_percent: 10, canary_bake_time_in_minutes: 0 },
  pause_stages: [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeout_in_minutes: 60 }],
}

async function startWatchedFunction(watcher: Watcher) {
  const { service, cloud, people } = await startCrashWorld({
    speed: 1_200,
    people: settle,
    gateway: (cloudUrl) => openGateway(cloudUrl, watcher),
  })
  const user = new User(people.client, new Random(1), quickMs)
  return {
    service,
    cloud,
    user,
    release: (code: string) => user.deploy(people.moduleInstanceId, code, { s3_key: `${code}.zip` }),
  }
}

async function settle(world: World) {
  const organization = await world.organization({ delivery: false })
  const wish = { name: 'thumbnails', strategy: canary }
  return { client: organization.client, moduleInstanceId: await createFunctionInstance(world, organization, wish) }
}

/**
 * Each release gave its code once, published one version, moved the alias once for each shift, and paused before each.
 */
async function expectEachShiftOnce(cloud: SimControl, deployments: Deployment[]): Promise<void> {
  const oldestFirst = deployments.toReversed()
  const moves = await cloud.calls({ operation: 'UpdateAlias', accepted: true, limit: 1_000_000 })
  const wanted = oldestFirst.flatMap((one) => {
    const { previousVersion = '', version = '' } = functionDataOf(one)
    return [
      [previousVersion, { [version]: 0.1 }],
      [version, {}],
    ]
  })
  expect(moves.map(moveOf), 'moves of the alias').toEqual(wanted)
  const codes = await codesTaken(cloud)
  expect(codes, 'updates of the code').toEqual(oldestFirst.map((one) => functionDataOf(one).s3Key))
  const versions = oldestFirst.map((one) => functionDataOf(one).version)
  expect(versions, 'published versions').toEqual(oldestFirst.map((_, index) => String(index + 2)))
  for (const deployment of deployments) {
    expect(new Set(pausesOf(deployment)).size, `the pauses of ${deployment.id}`).toBe(2)
    expect(stepsOf(deployment).filter((step) => step !== 'QUEUED')).toEqual(wholeWay)
  }
}

/** What the function was given, in order. A dry run gives it nothing. */
const codesTaken = async (cloud: SimControl): Promise<(string | undefined)[]> =>
  (await cloud.calls({ operation: 'UpdateFunctionCode', accepted: true, limit: 1_000_000 }))
    .map(({ request }) => request as { S3Key?: string; DryRun?: boolean })
    .filter(({ DryRun }) => !DryRun)
    .map(({ S3Key }) => S3Key)

const wholeWay = [
  ...['INIT', 'UPDATE_CODE', 'PUBLISH_VERSION'],
  ...['PAUSED', 'CONTINUED', 'PRODUCTION_TRAFFIC_SHIFT'],
  ...['PAUSED', 'CONTINUED', 'PRODUCTION_TRAFFIC_SHIFT'],
  'COMPLETED',
]

function moveOf({ request }: Call) {
  const { FunctionVersion, RoutingConfig } = request as {
    FunctionVersion: string
    RoutingConfig: { AdditionalVersionWeights: Record<string, number> }
  }
  return [FunctionVersion, RoutingConfig.AdditionalVersionWeights]
}

test('a function is released with each effect once, whichever call is the last that the cloud did before a kill', async () => {
  const moments = new Moments()
  const { service, cloud, user, release } = await startWatchedFunction(moments)
  await moments.killAtEach(service, {
    async release(moment) {
      const { id } = await release(`v${moment}`)
      expect(await user.follow(id), `killed at moment ${moment}`).toMatchObject({ status: 'SUCCESS' })
    },
  })
  expect(service.kills).toBeGreaterThan(6)
  await expectEachShiftOnce(cloud, await user.list())
  expect(service.ownEnds).toEqual([])
})

const isMove = (operation: string) => /^PUT .*\/aliases\//.test(operation)
const changes = [/^PUT .*\/code$/, /^POST .*\/versions$/, /^PUT .*\/aliases\//]

test('a function is released with each effect once, whichever change the cloud never heard of for a kill', async () => {
  const unheard = new NeverHeard()
  const { service, cloud, user, release } = await startWatchedFunction(unheard)
  await unheard.killInsteadOfEach(service, changes, async (change, index) => {
    const { id } = await release(`v${index}x`)
    expect(await user.follow(id), `killed before ${change}`).toMatchObject({ status: 'SUCCESS' })
  })
  await expectEachShiftOnce(cloud, await user.list())
})

/** Longer than the service takes to be back, shorter than it waits for an answer. Milliseconds. */
const slowMs = 8_000

test('a shift that is still on its way when the service dies is taken once', async () => {
  const moves = { sent: 0, done: 0 }
  const { service, cloud, user, release } = await startWatchedFunction({
    sent(operation) {
      if (isMove(operation)) moves.sent += 1
      if (isMove(operation) && moves.sent === 1) void service.kill('service').then(() => service.start())
      return true
    },
    done(operation) {
      if (isMove(operation)) moves.done += 1
    },
  })
  await cloud.addFault({ kind: 'slow', operation: 'UpdateAlias', delayMs: slowMs, times: 1 })
  const { id } = await release('v1')
  expect(await user.follow(id)).toMatchObject({ status: 'SUCCESS' })
  await eventually(
    'every move to be answered',
    async () => moves,
    ({ sent, done }) => done === sent,
  )
  await expectEachShiftOnce(cloud, await user.list())
  expect(service.kills).toBe(1)
})
