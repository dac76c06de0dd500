import { expect, test } from 'vitest'
import type { PauseStage } from '../../../../cloud/facts/pause-stage.ts'
import type { AnalysisSpec } from '../../analysis/spec.ts'
import { later } from '../../execution/state.ts'
import { pace } from '../model-environment.fixture.ts'
import { check, releaseOf, World } from './environment.fixture.ts'
import { cancelled, expired, refused } from './machine.ts'
import type { Delivery } from './model-cloud.fixture.ts'
import type { FunctionRelease, LambdaStrategy } from './release.ts'
import { maxRemovedVersions, retained } from './retention.ts'

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

/** Lets the worker and the cloud take turns, and no time pass, until nothing more happens by itself. */
async function settle(world: World): Promise<void> {
  world.start()
  for (let turn = 0; turn < 20; turn++) {
    await world.advance()
    world.cloud.step()
  }
}

test('a canary that pauses before each shift goes its way: a tenth, all, and the bakes between', async () => {
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

test('a pause does not use up the working time, and a bake comes on top of it', async () => {
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

test('a shift that was on its way when the release was cancelled is not heard any more', async () => {
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

test('what somebody else made of the alias is left alone, and the error names both versions', async () => {
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

test('an alias that shared its calls before is returned to just that', async () => {
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

test('what was released before is never replaced by what is now in its place', async () => {
  const world = new World(releaseOf(canary, { version: { version: '2', codeSha256: 'what there was' } }))
  await settle(world)
  expect(world.row).toMatchObject({ status: 'ERROR', error: { code: 'Sluice:Deployments:RELEASE_MISSING' } })
  expect(world.cloud.moves).toEqual([])
})

test('a right that is lost in the middle is borne for a while; then the release is turned back', async () => {
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

test('a bake goes on only after the measurement that is due at its end, however late that comes', async () => {
  const world = new World(releaseOf(canary, { analysis }))
  await settle(world)
  world.answers = 503
  world.wait(10)
  await settle(world)
  expect(world.row).toMatchObject({ status: 'ROLLED_BACK', error: { code: 'Sluice:Deployments:ANALYSIS_FAILED' } })
  expect(world.cloud.isAt({ version: '6' })).toBe(true)
  expect(world.cloud.moves).toHaveLength(2)
})

test('the steps of a linear release are one bake for its checks; a shift is not the end of it', async () => {
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

test('what a person decided about a pause is not left to the checks any more', async () => {
  const world = new World(releaseOf({ ...canary, pauseStages: [beforeShifts] }, { analysis }))
  await settle(world)
  world.answers = 503
  world.wait(2)
  world.continue()
  await settle(world)
  expect(world.row.status).toBe('IN_PROGRESS')
  expect(world.row.data.analysis?.[0]).toMatchObject({ outcome: 'INCONCLUSIVE', checks: [{ failed: 0 }] })
})

/** A release whose update of the code was sent, and no answer came. */
async function unanswered(delivery: Delivery): Promise<World> {
  const world = new World(releaseOf(canary))
  world.start()
  await world.advance()
  await world.advance()
  await world.advance() // the hash of the code is known before the code is sent
  world.cloud.delivery = delivery
  await world.advance()
  return world
}

test('an update of the code whose answer was lost is recognized, also where its settings were changed since', async () => {
  const world = await unanswered('answer-lost')
  world.cloud.step()
  world.cloud.configureByOthers()
  await world.runOut()
  expect(world.row.status).toBe('SUCCESS')
  expect(world.cloud.updates).toEqual(['new'])
})

test('an update of the code that was never heard is sent again, also where its settings were changed since', async () => {
  const world = await unanswered('late')
  world.cloud.configureByOthers()
  await world.runOut()
  world.cloud.deliverLate()
  expect(world.row.status).toBe('SUCCESS')
  expect(world.cloud.updates).toEqual(['new'])
})

test.each(['answer-lost', 'late'] as const)(
  'the code of somebody else that came after an update without an answer (%s) is left alone, and the error says so',
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

test('the code from before that somebody put back after an update without an answer is replaced again', async () => {
  const world = await unanswered('answer-lost')
  world.cloud.step()
  world.cloud.updateByOthers('old')
  await world.runOut()
  expect(world.row.status).toBe('SUCCESS')
  expect(world.cloud.updates).toEqual(['new', 'new'])
})

/** A release that keeps two versions, and has come to the choice of those to delete. */
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

test('a release that only deletes older versions stays live, whatever ends that', async () => {
  const { row, now } = await untilRetain()
  const no = { name: 'AccessDeniedException', message: 'not allowed' }
  const ended = {
    expired: expired(row, now),
    cancelled: cancelled(row, now, { code: 'Sluice:Deployments:CANCELLED', message: 'x' }),
    refused: refused(row, no, { do: 'retain' }, pace, now),
  }
  for (const [why, standing] of Object.entries(ended)) {
    expect(standing?.status, `${why}: see isTidying in retention.ts`).toBe('SUCCESS')
    expect(standing?.data.events?.slice(-2).map(({ stepCode }) => stepCode)).toEqual(['CLEAN_UP', 'COMPLETED'])
  }
})

test('a release deletes a bounded number of versions, the oldest first, and skips those that the cloud keeps', async () => {
  const { row, now } = await untilRetain()
  const count = maxRemovedVersions + 30
  const history = Array.from({ length: count }, (_, index): FunctionRelease => {
    return { moduleInstanceId: 'mi_1', status: 'SUCCESS', prefix: String(1_000 + index), removedPrefixes: [] }
  })
  const removing = retained(row, 'mi_1', history, now)
  expect(removing.progress.toRemove, 'see maxRemovedVersions in retention.ts').toHaveLength(maxRemovedVersions)
  expect(removing.progress.toRemove?.[0]).toBe('1000')
  expect(removing.data.events?.at(-1)?.message).toMatch(/^Deleting 50 of 79 older versions: 1000, 1001, /)

  const no = { name: 'InvalidParameterValueException', message: 'The version is replicated.' }
  const skipped = refused(removing, no, { do: 'remove' }, pace, now)
  expect(skipped.status, 'see removalRefused in retention.ts').toBe('IN_PROGRESS')
  expect(skipped.progress.toRemove?.[0]).toBe('1001')
  expect(skipped.data.removedVersions).toEqual([])
  expect(skipped.data.events?.at(-1)?.message).toBe('Version 1000 was not deleted: The version is replicated.')

  const denied = refused(skipped, { ...no, name: 'AccessDeniedException' }, { do: 'remove' }, pace, now)
  expect(denied.status).toBe('SUCCESS')
})
