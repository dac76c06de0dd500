import { expect, test } from 'vitest'
import type { PauseStage } from '../../../../cloud/facts/pause-stage.ts'
import type { AnalysisSpec } from '../../analysis/spec.ts'
import { later } from '../../execution/state.ts'
import { pace } from '../model-environment.fixture.ts'
import { check, releaseOf, World } from './environment.fixture.ts'
import { cancel, onDeadline, onRejected } from './machine.ts'
import type { Delivery } from './model-cloud.fixture.ts'
import type { FunctionRelease, LambdaStrategy } from './release.ts'
import { maxRemovedVersions, onVersionRemoved, selectVersionsToRemove } from './retention.ts'

const canary: LambdaStrategy = {
  type: 'canary',
  bakeTimeInMinutes: 5,
  canary: { canaryPercent: 10, canaryBakeTimeInMinutes: 2 },
  pauseStages: [],
}
const beforeShifts: PauseStage = {
  stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT',
  timeoutInMinutes: 60,
  timeoutAction: 'ROLLBACK',
}

/** Runs the worker and the cloud in turns without advancing the time, until nothing changes any more. */
async function settle(world: World): Promise<void> {
  world.start()
  for (let turn = 0; turn < 20; turn++) {
    await world.advance()
    world.cloud.step()
  }
}

test('a canary with a pause before each shift goes through 10 %, all traffic, and the bakes between', async () => {
  const world = new World(releaseOf({ ...canary, pauseStages: [beforeShifts] }))
  await settle(world)
  expect(world.cloud.isAt({ version: '6' })).toBe(true)
  world.continue()
  await settle(world)
  expect(world.cloud.isAt({ version: '6', additionalVersion: '7', additionalWeight: 0.1 })).toBe(true)
  world.wait(1)
  await settle(world)
  expect(world.row.progress.hooks).toHaveLength(1)
  world.wait(1)
  await settle(world)
  expect(world.row.progress.hooks).toHaveLength(2)
  world.continue(2)
  await settle(world)
  expect(world.cloud.isAt({ version: '7' })).toBe(true)
  expect(world.row.status).toBe('IN_PROGRESS')
  world.wait(5)
  await settle(world)
  expect(world.row.status).toBe('SUCCESS')
  expect(world.row.data.events?.map((event) => event.stepCode)).toEqual([
    'INIT',
    'UPDATE_CODE',
    'PUBLISH_VERSION',
    'PAUSED',
    'CONTINUED',
    'PRODUCTION_TRAFFIC_SHIFT',
    'PAUSED',
    'CONTINUED',
    'PRODUCTION_TRAFFIC_SHIFT',
    'BAKE',
    'COMPLETED',
  ])
})

test('a pause stops the deployment timeout, and bake times are added to it', async () => {
  const world = new World(releaseOf({ ...canary, pauseStages: [beforeShifts] }))
  world.start()
  expect(world.row.deadlineAt).toEqual(later(world.now, (30 + 2 + 5) * 60_000))
  world.wait(10)
  await settle(world)
  world.wait(50)
  await world.advance()
  world.continue()
  await settle(world)
  expect(world.row.deadlineAt).toEqual(later(world.now, (20 + 2 + 5) * 60_000))
})

test('a shift that was in flight when the release was cancelled has no effect', async () => {
  const world = new World(releaseOf({ ...canary, pauseStages: [beforeShifts] }))
  await settle(world)
  world.continue()
  await world.advance()
  world.cloud.delivery = 'late'
  await world.advance()
  world.cancel()
  expect(world.row.status).toBe('ROLLING_BACK')
  await settle(world)
  world.cloud.deliverLate()
  expect(world.row.status).toBe('ROLLED_BACK')
  expect(world.cloud.isAt({ version: '6' })).toBe(true)
})

test("another actor's change of the alias is left unchanged, and the error names both versions", async () => {
  const world = new World(releaseOf(canary))
  await settle(world)
  world.cloud.moveByOthers()
  world.wait(2)
  await settle(world)
  expect(world.row).toMatchObject({
    status: 'ERROR',
    error: {
      code: 'Sluice:Deployments:ALIAS_CHANGED',
      message: expect.stringContaining('version 6, for 10 % of the calls version 7, and now it is at version 5'),
      metadata: { expectedVersion: '6', foundVersion: '5' },
    },
  })
  expect(world.cloud.isAt({ version: '5' })).toBe(true)
})

test('a weighted alias is restored to its previous weights', async () => {
  const world = new World(releaseOf({ ...canary, canary: { canaryPercent: 10, canaryBakeTimeInMinutes: 0 } }))
  const before = { version: '6', additionalVersion: '5', additionalWeight: 0.3 }
  world.cloud.versions.set('5', { sha: 'older', state: 'Active' })
  world.cloud.routing = before
  await settle(world)
  expect(world.cloud.isAt({ version: '7' })).toBe(true)
  world.cancel()
  await settle(world)
  expect(world.row.status).toBe('ROLLED_BACK')
  expect(world.cloud.isAt(before)).toBe(true)
})

test('a released version is never replaced by another one with the same number', async () => {
  const world = new World(releaseOf(canary, { version: { version: '2', codeSha256: 'what there was' } }))
  await settle(world)
  expect(world.row).toMatchObject({ status: 'ERROR', error: { code: 'Sluice:Deployments:RELEASE_MISSING' } })
  expect(world.cloud.moves).toEqual([])
})

test('a permission that is lost during a release is retried for a while, and then the release is rolled back', async () => {
  const world = new World(releaseOf(canary))
  await settle(world)
  world.cloud.denied = 'UpdateAlias'
  world.wait(2)
  await settle(world)
  expect(world.row.status).toBe('IN_PROGRESS')
  await settle(world)
  expect(world.row.status).toBe('ROLLING_BACK')
  world.cloud.denied = undefined
  await settle(world)
  expect(world.row).toMatchObject({ status: 'ROLLED_BACK', error: { code: 'Sluice:Deployments:CLOUD_REFUSED' } })
  expect(world.cloud.isAt({ version: '6' })).toBe(true)
})

const analysis: AnalysisSpec = {
  intervalSeconds: 120,
  count: 1,
  failureLimit: 0,
  inconclusiveLimit: 0,
  checks: [check],
}

test('a bake ends only after the measurement that is due at its end, even if that is late', async () => {
  const world = new World(releaseOf(canary, { analysis }))
  await settle(world)
  world.answers = 503
  world.wait(10)
  await settle(world)
  expect(world.row).toMatchObject({ status: 'ROLLED_BACK', error: { code: 'Sluice:Deployments:ANALYSIS_FAILED' } })
  expect(world.cloud.isAt({ version: '6' })).toBe(true)
  expect(world.cloud.moves).toHaveLength(2)
})

test('the steps of a linear release are one bake for its checks, which a shift does not end', async () => {
  const linear: LambdaStrategy = {
    type: 'linear',
    bakeTimeInMinutes: 0,
    linear: { stepPercent: 25, stepBakeTimeInMinutes: 2 },
    pauseStages: [],
  }
  const world = new World(releaseOf(linear, { analysis }))
  await world.runOut()
  expect(world.row).toMatchObject({
    status: 'SUCCESS',
    data: {
      analysis: [
        { lifecycleStage: 'PRODUCTION_TRAFFIC_SHIFT', outcome: 'SUCCESSFUL', checks: [{ successful: 3, failed: 0 }] },
      ],
    },
  })
})

test('checks do not decide about a pause that a user has decided', async () => {
  const world = new World(releaseOf({ ...canary, pauseStages: [beforeShifts] }, { analysis }))
  await settle(world)
  world.answers = 503
  world.wait(2)
  world.continue()
  await settle(world)
  expect(world.row.status).toBe('IN_PROGRESS')
  expect(world.row.data.analysis?.[0]).toMatchObject({ outcome: 'INCONCLUSIVE', checks: [{ failed: 0 }] })
})

/** Creates a release whose code update was sent without a response. */
async function unanswered(delivery: Delivery): Promise<World> {
  const world = new World(releaseOf(canary))
  world.start()
  await world.advance()
  await world.advance()
  await world.advance() // the hash of the code is determined before the code is sent
  world.cloud.delivery = delivery
  await world.advance()
  return world
}

test('a code update with a lost response is recognized, even after a settings change', async () => {
  const world = await unanswered('answer-lost')
  world.cloud.step()
  world.cloud.configureByOthers()
  await world.runOut()
  expect(world.row.status).toBe('SUCCESS')
  expect(world.cloud.updates).toEqual(['new'])
})

test('a code update that never arrived is sent again, even after a settings change', async () => {
  const world = await unanswered('late')
  world.cloud.configureByOthers()
  await world.runOut()
  world.cloud.deliverLate()
  expect(world.row.status).toBe('SUCCESS')
  expect(world.cloud.updates).toEqual(['new'])
})

test.each(['answer-lost', 'late'] as const)(
  "another actor's code after an update without a response (%s) is left unchanged and reported",
  async (delivery) => {
    const world = await unanswered(delivery)
    world.cloud.step()
    world.cloud.updateByOthers('theirs')
    await world.runOut()
    world.cloud.deliverLate()
    expect(world.row).toMatchObject({
      status: 'ERROR',
      error: {
        code: 'Sluice:Deployments:CODE_CHANGED',
        metadata: { expectedCodeSha256: 'new', foundCodeSha256: 'theirs' },
      },
    })
    expect(world.cloud.latest.sha).toBe('theirs')
  },
)

test('the previous code that another actor restored after an update without a response is replaced again', async () => {
  const world = await unanswered('answer-lost')
  world.cloud.step()
  world.cloud.updateByOthers('old')
  await world.runOut()
  expect(world.row.status).toBe('SUCCESS')
  expect(world.cloud.updates).toEqual(['new', 'new'])
})

/** Creates a release that retains two versions and has reached the step that selects the ones to delete. */
async function untilRetain(): Promise<World> {
  const strategy: LambdaStrategy = { type: 'all_at_once', bakeTimeInMinutes: 0, pauseStages: [] }
  const world = new World(releaseOf(strategy, { keepReleases: 2 }))
  for (let turn = 0; turn < 50 && world.row.progress.step !== 'retain'; turn++) {
    world.start()
    await world.advance()
    world.cloud.step()
  }
  return world
}

test('a release that only has old versions to delete stays live, regardless of how it ends', async () => {
  const { row, now } = await untilRetain()
  const no = { name: 'AccessDeniedException', message: 'not allowed' }
  const ended = {
    expired: onDeadline(row, now),
    cancelled: cancel(row, now, { code: 'Sluice:Deployments:CANCELLED', message: 'x' }),
    refused: onRejected(row, no, { do: 'retain' }, pace, now),
  }
  for (const [why, deployment] of Object.entries(ended)) {
    expect(deployment?.status, `${why}: see isTidying in retention.ts`).toBe('SUCCESS')
    expect(deployment?.data.events?.slice(-2).map(({ stepCode }) => stepCode)).toEqual(['CLEAN_UP', 'COMPLETED'])
  }
})

test('a release deletes a limited number of versions, oldest first, and skips those that the cloud keeps', async () => {
  const { row, now } = await untilRetain()
  const count = maxRemovedVersions + 30
  const history = Array.from({ length: count }, (_, index): FunctionRelease => {
    return { moduleInstanceId: 'mi_1', status: 'SUCCESS', prefix: String(1_000 + index), removedPrefixes: [] }
  })
  const removing = selectVersionsToRemove(row, 'mi_1', history, now)
  expect(removing.progress.toRemove?.[0]).toBe('1000')
  expect(removing.data.events?.at(-1)?.message).toMatch(/^Deleting 50 of 79 older versions: 1000, 1001, /)

  const no = { name: 'InvalidParameterValueException', message: 'The version is replicated.' }
  const skipped = onRejected(removing, no, { do: 'remove' }, pace, now)
  expect(skipped.status, 'see removalRefused in retention.ts').toBe('IN_PROGRESS')
  expect(skipped.progress.toRemove?.[0]).toBe('1001')
  expect(skipped.data.removedVersions).toEqual([])
  expect(skipped.data.events?.at(-1)?.message).toBe('Version 1000 was not deleted: The version is replicated.')

  const denied = onRejected(skipped, { ...no, name: 'AccessDeniedException' }, { do: 'remove' }, pace, now)
  expect(denied.status).toBe('SUCCESS')
})

test('versions that cannot be deleted do not hide newer ones', async () => {
  const { row, now } = await untilRetain()
  const history = Array.from({ length: 2 * maxRemovedVersions + 40 }, (_, index): FunctionRelease => {
    return { moduleInstanceId: 'mi_1', status: 'SUCCESS', prefix: String(1_000 + index), removedPrefixes: [] }
  })
  const no = { name: 'InvalidParameterValueException', message: 'The version is replicated.' }
  let removing = selectVersionsToRemove(row, 'mi_1', history, now)
  for (let refused = 0; refused < maxRemovedVersions + 10; refused++) {
    removing = onRejected(removing, no, { do: 'remove' }, pace, now)
  }
  for (let steps = 0; removing.status === 'IN_PROGRESS' && steps < history.length; steps++) {
    removing = onVersionRemoved(removing, true, now)
  }

  expect(removing.status).toBe('SUCCESS')
  const removed = removing.data.removedVersions?.map(({ version }) => version) ?? []
  expect(removed, 'see maxRemovedVersions in retention.ts').toHaveLength(maxRemovedVersions)
  expect(removed[0]).toBe(String(1_000 + maxRemovedVersions + 10))
})
