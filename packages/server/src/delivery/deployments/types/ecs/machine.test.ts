import { expect, test } from 'vitest'
import { everyCase } from '../../../../../../../testing/every-case.ts'
import type { PauseStage } from '../../../../cloud/facts/pause-stage.ts'
import { later } from '../../execution/state.ts'
import { createContinueRequest, pace } from '../model-environment.fixture.ts'
import { ecs } from './deployment-type.ts'
import { advanceToStep, releaseOf, runOut, World } from './environment.fixture.ts'
import { nextAction, onRejected } from './machine.ts'

test('a canary with a pause before each shift pauses twice and ends after both are continued', () => {
  const world = new World(
    releaseOf({
      type: 'canary',
      bakeTimeInMinutes: 5,
      canary: { canaryPercent: 10, canaryBakeTimeInMinutes: 1 },
      pauseStages: [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeoutInMinutes: 60, timeoutAction: 'ROLLBACK' }],
    }),
  )
  world.start()
  for (let turn = 0; turn < 60; turn++) {
    world.advance()
    world.cloud.step(world.now.getTime())
    const decision = ecs.continueAfterPause(world.row, createContinueRequest(), world.now)
    if (decision.verdict === 'accepted') world.save(decision.deployment)
  }
  expect(world.row.status).toBe('SUCCESS')
  expect(world.row.data.events?.map((event) => event.stepCode)).toEqual([
    'INIT',
    'REGISTER_RELEASE',
    'UPDATE_SERVICE',
    'SCALE_UP',
    'TEST_TRAFFIC_SHIFT',
    'PAUSED',
    'CONTINUED',
    'PRODUCTION_TRAFFIC_SHIFT',
    'PAUSED',
    'CONTINUED',
    'PRODUCTION_TRAFFIC_SHIFT',
    'BAKE',
    'CLEAN_UP',
    'COMPLETED',
  ])
})

test('continuing the same pause again is not an error and changes nothing', () => {
  const world = new World(releaseOf({ type: 'blue_green', bakeTimeInMinutes: 0, pauseStages: [pause] }))
  world.start()
  for (let turn = 0; turn < 20; turn++) {
    world.advance()
    world.cloud.step(world.now.getTime())
  }
  const first = ecs.continueAfterPause(world.row, createContinueRequest('hook-1'), world.now)
  if (first.verdict !== 'accepted') throw new Error(`expected a pause, got ${first.verdict}`)
  world.save(first.deployment)
  expect(ecs.continueAfterPause(world.row, createContinueRequest('hook-1'), world.now).verdict).toBe('repeated')
  expect(ecs.continueAfterPause(world.row, createContinueRequest(), world.now).verdict).toBe('repeated')
  expect(ecs.continueAfterPause(world.row, createContinueRequest('hook-2'), world.now).verdict).toBe('hook-not-pending')
  runOut(world)
  expect(world.row.status).toBe('SUCCESS')
  expect(ecs.continueAfterPause(world.row, createContinueRequest('hook-1'), world.now).verdict).toBe('repeated')
  expect(ecs.continueAfterPause(world.row, createContinueRequest(), world.now).verdict).toBe('not-paused')
})

const pause: PauseStage = { stage: 'POST_TEST_TRAFFIC_SHIFT', timeoutInMinutes: 60, timeoutAction: 'ROLLBACK' }

test('a pause stops the deployment timeout, which resumes after it', () => {
  const world = new World(releaseOf({ type: 'blue_green', bakeTimeInMinutes: 0, pauseStages: [pause] }))
  world.start()
  const advanceTo = (isThere: () => boolean) => {
    for (let turn = 0; turn < 40 && !isThere(); turn++) {
      world.advance()
      world.cloud.step(world.now.getTime())
    }
    expect(isThere()).toBe(true)
  }
  const isPaused = () => world.row.progress.hooks.some((hook) => hook.state === 'waiting')
  world.pass(600_000) // ten of the thirty minutes
  advanceTo(isPaused)
  world.pass(3_000_000) // fifty minutes later, within the pause's hour
  world.advance()
  expect(world.row.status).toBe('IN_PROGRESS')

  const decision = ecs.continueAfterPause(world.row, createContinueRequest(), world.now)
  if (decision.verdict !== 'accepted') throw new Error(`expected a pause, got ${decision.verdict}`)
  world.save(decision.deployment)
  advanceTo(() => !isPaused() && world.row.progress.hooks.every((hook) => hook.state === 'answered'))
  expect(world.row.deadlineAt).toEqual(later(world.now, 1_200_000))

  world.cloud.hangs = true
  world.pass(1_200_001)
  world.advance()
  expect(world.row).toMatchObject({ status: 'ROLLING_BACK', error: { code: 'Sluice:Deployments:TIMED_OUT' } })
})

test('an error after an update that the cloud may have received does not end the deployment', () => {
  const world = new World(releaseOf({ type: 'rolling' }))
  advanceToStep(world, 'update')
  world.advance('save') // the service is updated, and the worker crashes before it can record that
  const action = nextAction(world.row, world.now)
  if (action.do !== 'find') throw new Error(`expected a look for the update, got ${action.do}`)
  world.save(onRejected(world.row, { name: 'AccessDeniedException', message: 'no' }, action, pace, world.now))
  expect(world.row.status).toBe('IN_PROGRESS')
  runOut(world)
  expect(world.row.status).toBe('SUCCESS')
  expect(world.cloud.updates).toBe(1)
})

/** Actions that are sent once, and how often each was sent. */
const sentOnce = [
  { step: 'register', times: ({ cloud }: World) => cloud.taskDefinitions.length },
  { step: 'update', times: ({ cloud }: World) => cloud.updates },
] as const

test(
  'a request with a lost response is not sent again before it must have arrived or failed',
  everyCase(sentOnce, ({ step, times }) => {
    const world = new World(releaseOf({ type: 'rolling' }))
    advanceToStep(world, step)
    world.advance('effect') // recorded, and the worker crashes: the cloud may have received the request
    const begun = world.now.getTime()
    let sentAt = begun
    while (times(world) === 0) {
      sentAt = world.now.getTime()
      world.advance()
      world.passToWakeUp()
    }
    expect(sentAt - begun).toBe(30_000)
    runOut(world)
    expect(world.row.status).toBe('SUCCESS')
  }),
)

test(
  'a request that arrives late is found and not repeated',
  everyCase(sentOnce, ({ step, times }) => {
    const world = new World(releaseOf({ type: 'rolling' }))
    advanceToStep(world, step)
    world.advance('arrival')
    runOut(world)
    expect(world.row).toMatchObject({ status: 'SUCCESS', progress: { taskDefinitionArn: 'arn:td/web:2' } })
    expect(times(world)).toBe(1)
  }),
)

test(
  'a throttled request is retried with growing delays',
  everyCase(sentOnce, ({ step }) => {
    const world = new World(releaseOf({ type: 'rolling' }))
    advanceToStep(world, step)
    for (const troubles of [1, 2, 3]) {
      expect(nextAction(world.row, world.now)).toEqual({ do: step })
      world.trouble()
      expect(world.row.progress.troubles).toBe(troubles)
      world.passToWakeUp()
      world.advance() // not listed, and not in flight, because the cloud has responded
    }
  }),
)

test('a cancel after the end of the release is reported as too late', () => {
  const world = new World(releaseOf({ type: 'rolling' }))
  advanceToStep(world, 'observe')
  for (let turn = 0; turn < 5; turn++) world.cloud.step(world.now.getTime())
  expect(world.cloud.deployment?.status).toBe('SUCCESSFUL')
  world.cancel()
  expect(world.row.status).toBe('ROLLING_BACK')
  runOut(world)
  expect(world.row).toMatchObject({ status: 'ERROR', error: { code: 'Sluice:Deployments:CANCEL_TOO_LATE' } })
})
