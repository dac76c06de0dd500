import type { Call, SimControl } from '@sluice/cloud-sim'
import type { Deployment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import { functionDataOf } from '../src/testing/functions.ts'
import { pausesOf, stepsOf, type TestOrganization, type World } from '../src/testing/world.ts'
import { createFunctionInstance } from './function-instance.ts'
import type { Watcher } from './gateway.ts'
import { KillAfterCallWatcher, KillBeforeCallWatcher } from './moments.ts'
import { createAccountUsers, releasesPerKill, startObservedEnvironment } from './parties.ts'
import type { User } from './user.ts'

/** Canary without bake times, which would take real minutes: the service is killed at its pauses. */
const canary = {
  type: 'canary',
  bake_time_in_minutes: 0,
  canary: { canary_percent: 10, canary_bake_time_in_minutes: 0 },
  pause_stages: [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeout_in_minutes: 60 }],
}

const startWatchedFunctions = (watcher: Watcher, count: number) =>
  startObservedEnvironment(watcher, createAccountUsers(count, settle))

async function settle(world: World, organization: TestOrganization) {
  const wish = { name: 'thumbnails', strategy: canary }
  return { moduleInstanceId: await createFunctionInstance(world, organization, wish) }
}

type Owner = { user: User; moduleInstanceId: string }

const release = async ({ user, moduleInstanceId }: Owner, code: string) =>
  user.follow((await user.deploy(moduleInstanceId, code, { s3_key: `${code}.zip` })).id)

/**
 * Expects that each release updated the code once, published one version, moved the alias once for each shift, and
 * paused before each.
 */
async function expectEachShiftOnce(cloud: SimControl, account: string, deployments: Deployment[]): Promise<void> {
  const oldestFirst = deployments.toReversed()
  const moves = await cloud.calls({ operation: 'UpdateAlias', account, accepted: true, limit: 1_000_000 })
  const wanted = oldestFirst.flatMap((one) => {
    const { previousVersion = '', version = '' } = functionDataOf(one)
    return [
      [previousVersion, { [version]: 0.1 }],
      [version, {}],
    ]
  })
  expect(moves.map(moveOf), 'moves of the alias').toEqual(wanted)
  const codes = await codesTaken(cloud, account)
  expect(codes, 'updates of the code').toEqual(oldestFirst.map((one) => functionDataOf(one).s3Key))
  const versions = oldestFirst.map((one) => functionDataOf(one).version)
  expect(versions, 'published versions').toEqual(oldestFirst.map((_, index) => String(index + 2)))
  for (const deployment of deployments) {
    expect(new Set(pausesOf(deployment)).size, `the pauses of ${deployment.id}`).toBe(2)
    expect(stepsOf(deployment).filter((step) => step !== 'QUEUED')).toEqual(wholeWay)
  }
}

/** Returns the code updates of the function in order, without dry runs. */
const codesTaken = async (cloud: SimControl, account: string): Promise<(string | undefined)[]> =>
  (await cloud.calls({ operation: 'UpdateFunctionCode', account, accepted: true, limit: 1_000_000 }))
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

test('a function is released with each effect once, whichever call of the cloud was the last before a kill', async () => {
  const moments = new KillAfterCallWatcher()
  const { service, cloud, parties } = await startWatchedFunctions(moments, releasesPerKill)
  const count = await moments.killAtEach(service, parties, {
    async release(party, moment) {
      expect(await release(party, `v${moment}`), `killed at moment ${moment}`).toMatchObject({ status: 'SUCCESS' })
    },
  })
  expect(count).toBeGreaterThan(6)
  for (const { accountNumber, user } of parties) await expectEachShiftOnce(cloud, accountNumber, await user.list())
  expect(service.ownEnds).toEqual([])
})

const isMove = (operation: string) => /^PUT .*\/aliases\//.test(operation)
const changes = [/^PUT .*\/code$/, /^POST .*\/versions$/, /^PUT .*\/aliases\//]

test('a function is released with each effect once, whichever change a kill prevented', async () => {
  const unheard = new KillBeforeCallWatcher()
  const { service, cloud, parties } = await startWatchedFunctions(unheard, changes.length)
  await unheard.killInsteadOfEach(service, parties, changes, async (party, change, nth) => {
    expect(await release(party, `v${nth}`), `killed before ${change}`).toMatchObject({ status: 'SUCCESS' })
  })
  for (const { accountNumber, user } of parties) await expectEachShiftOnce(cloud, accountNumber, await user.list())
})

/** Duration of a slow call in milliseconds: longer than a restart of the service, shorter than its timeout. */
const slowMs = 8_000

test('a shift that is in flight when the service dies takes effect once', async () => {
  const moves = { sent: 0, done: 0 }
  const { service, cloud, parties } = await startWatchedFunctions(
    {
      sent(operation) {
        if (isMove(operation)) moves.sent += 1
        if (isMove(operation) && moves.sent === 1) service.killAndRestart()
        return true
      },
      done(operation) {
        if (isMove(operation)) moves.done += 1
      },
    },
    1,
  )
  const [party] = parties
  await cloud.addFault({ kind: 'slow', operation: 'UpdateAlias', delayMs: slowMs, times: 1 })
  expect(await release(party, 'v1')).toMatchObject({ status: 'SUCCESS' })
  await eventually(
    'every move to be answered',
    async () => moves,
    ({ sent, done }) => done === sent,
  )
  await expectEachShiftOnce(cloud, party.accountNumber, await party.user.list())
  expect(service.kills).toBe(1)
})
