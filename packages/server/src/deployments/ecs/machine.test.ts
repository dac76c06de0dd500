import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isFinal, mayFollow } from '../machine.ts'
import type { EcsRelease, EcsStrategy, PauseStage } from '../release.ts'
import { later, type PollPace, type Standing } from '../standing.ts'
import { continuePause } from './continue.ts'
import {
  attempted,
  cancelled,
  changesCloud,
  type EcsAction,
  expired,
  freshProgress,
  located,
  nextAction,
  notFound,
  prepared,
  refused,
  registered,
  started,
  stopSent,
  troubled,
  updated,
} from './machine.ts'
import { ModelCloud } from './model-cloud.fixture.ts'
import { continued, observed } from './observe.ts'
import { pauseStages } from './track.ts'

const pace: PollPace = { minMs: 1_000, maxMs: 15_000, pausedMaxMs: 300_000 }

const releaseOf = (strategy: EcsStrategy): EcsRelease => ({
  type: 'cloud:ecs',
  cloudAccountId: 'ca_1',
  region: 'eu-west-1',
  clusterArn: 'arn:aws:ecs:eu-west-1:111122223333:cluster/c',
  serviceArn: 'arn:aws:ecs:eu-west-1:111122223333:service/c/web',
  taskDefinition: { register: { family: 'web' } },
  strategy,
  timeoutSeconds: 1_800,
  queue: { queueSize: 1, queueOverflow: 'oldest' },
})

const pending = (release: EcsRelease, now: Date): Standing => ({
  id: 'dep_1',
  release,
  status: 'PENDING',
  startedAt: null,
  completedAt: null,
  error: null,
  externalDeploymentId: null,
  data: { type: 'cloud:ecs', clusterArn: release.clusterArn, serviceArn: release.serviceArn, events: [] },
  progress: freshProgress,
  wakeAt: later(now, 5_000),
  deadlineAt: later(now, 86_400_000),
  waitingFor: 'its turn',
})

/** A row, the cloud, and a worker between them that may die at any point. */
class World {
  now = new Date('2026-11-20T10:00:00.000Z')
  readonly cloud: ModelCloud
  row: Standing
  seenHooks = new Set<string>()

  constructor(release: EcsRelease) {
    this.cloud = new ModelCloud(release)
    this.row = pending(release, this.now)
  }

  save(next: Standing): void {
    const { row } = this
    expect(mayFollow(row.status, next.status), `${row.status} → ${next.status}`).toBe(true)
    if (isFinal(row.status)) expect(next).toEqual(row)
    const isWaiting = next.wakeAt !== null && next.deadlineAt !== null && next.waitingFor !== null
    expect(isWaiting, `${next.status} waits with a wake-up, a deadline and a reason`).toBe(!isFinal(next.status))
    this.row = next
  }

  /** One message to the worker. `diesBefore`: the save is lost, the effect in the cloud is not. */
  advance(diesBefore?: 'effect' | 'save'): void {
    const action = nextAction(this.row, this.now)
    if (action.do === 'rest') return
    if (action.do === 'expire') {
      this.save(expired(this.row, this.now))
      return
    }
    if (changesCloud(action)) this.save(attempted(this.row, this.now))
    if (diesBefore === 'effect') return
    const next = this.carryOut(action)
    if (diesBefore === 'save') return
    this.save(next)
    for (const hook of this.row.progress.hooks) this.seenHooks.add(hook.hookId)
  }

  carryOut(action: Exclude<EcsAction, { do: 'rest' } | { do: 'expire' }>): Standing {
    const { row, cloud, now } = this
    const { taskDefinitionArn = '', primaryBefore } = row.progress
    switch (action.do) {
      case 'prepare':
        return prepared(row, { primary: cloud.primary }, now)
      case 'register': {
        const done = action.look ? cloud.taskDefinitions.indexOf(row.id) : -1
        const arn = done < 0 ? cloud.register(row.id) : `arn:td/web:${done + 2}`
        return registered(row, { arn, revision: 2, definition: {} }, now)
      }
      case 'update':
        return updated(row, cloud.update(taskDefinitionArn), now)
      case 'find': {
        const isDone = cloud.primary.id !== primaryBefore?.id && cloud.primary.taskDefinitionArn === taskDefinitionArn
        return isDone ? updated(row, cloud.primary.id, now) : notFound(row, pace, now)
      }
      case 'locate':
        return located(row, 'arn:sd/1', now)
      case 'observe':
        return this.look()
      case 'continue': {
        const isWaiting = cloud.awaiting()?.hookId === action.hookId
        const seen = this.look()
        if (!isWaiting || seen.status !== 'IN_PROGRESS') return seen
        expect(cloud.continue(action.hookId)).toBe(true)
        return continued(seen, action.hookId, now)
      }
      case 'stop':
        cloud.stop()
        return stopSent(row, now)
    }
  }

  look(): Standing {
    return observed(this.row, { snapshot: this.cloud.snapshot(this.now.getTime()) }, pace, this.now)
  }
}

const pauses: fc.Arbitrary<PauseStage[]> = fc.uniqueArray(
  fc.record({
    stage: fc.constantFrom(...pauseStages),
    timeoutInMinutes: fc.integer({ min: 1, max: 60 }),
    timeoutAction: fc.constantFrom('ROLLBACK' as const, 'CONTINUE' as const),
  }),
  { selector: ({ stage }) => stage, maxLength: 4 },
)
const strategies: fc.Arbitrary<EcsStrategy> = fc.oneof(
  fc.constant({ type: 'rolling' as const }),
  fc
    .record({
      type: fc.constantFrom('blue_green' as const, 'linear' as const, 'canary' as const),
      pauseStages: pauses,
      percent: fc.integer({ min: 10, max: 60 }),
    })
    .map(({ type, pauseStages, percent }) => ({
      type,
      bakeTimeInMinutes: 5,
      pauseStages,
      ...(type === 'linear' ? { linear: { stepPercent: percent, stepBakeTimeInMinutes: 1 } } : {}),
      ...(type === 'canary' ? { canary: { canaryPercent: percent, canaryBakeTimeInMinutes: 1 } } : {}),
    })),
)

type Move = (world: World) => void
const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Move>((world) => world.advance()) },
  { weight: 6, arbitrary: fc.constant<Move>((world) => world.cloud.step(world.now.getTime())) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Move>(
      (world) => world.advance('effect'),
      (world) => world.advance('save'),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constant<Move>((world) => {
      if (world.row.status === 'PENDING') world.save(started(world.row, world.now))
    }),
  },
  {
    weight: 3,
    arbitrary: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }).map(
      (hook): Move =>
        (world) => {
          const decision = continuePause(world.row, hook === undefined ? undefined : `hook-${hook}`, world.now)
          if (decision.verdict === 'accepted') world.save(decision.standing)
        },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Move>((world) => {
      const next = cancelled(world.row, world.now)
      if (next) world.save(next)
    }),
  },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 40 }).map(
      (minutes): Move =>
        (world) => {
          world.now = later(world.now, minutes * 60_000)
          world.cloud.expire(world.now.getTime())
        },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Move>(
      (world) => world.cloud.fail('breaker'),
      (world) => world.cloud.fail('stopped'),
      (world) => {
        world.cloud.hangs = true
      },
      (world) => {
        // Somebody continues in the cloud's own console.
        const hook = world.cloud.awaiting()
        if (hook) world.cloud.continue(hook.hookId)
      },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Move>(
      (world) => {
        if (world.row.status === 'IN_PROGRESS') world.save(troubled(world.row, 'throttled', pace, world.now))
      },
      (world) => {
        const action = nextAction(world.row, world.now)
        if (action.do === 'rest' || action.do === 'expire') return
        world.save(refused(world.row, { name: 'AccessDenied', message: 'no' }, action, pace, world.now))
      },
    ),
  },
)

/** Lets everything run on, without people, until it is over. */
function runOut(world: World): void {
  for (let turns = 0; !isFinal(world.row.status) && turns < 2_000; turns++) {
    if (world.row.status === 'PENDING') world.save(started(world.row, world.now))
    world.advance()
    world.cloud.expire(world.now.getTime())
    world.cloud.step(world.now.getTime())
    if (world.row.wakeAt && world.row.wakeAt > world.now) world.now = world.row.wakeAt
  }
}

test('whatever happens in whatever order, the promises of a deployment are kept and it ends', () => {
  fc.assert(
    fc.property(strategies, fc.array(moves, { maxLength: 60, size: 'max' }), (strategy, happenings) => {
      const world = new World(releaseOf(strategy))
      for (const happen of happenings) happen(world)
      runOut(world)

      const { row, cloud } = world
      expect(isFinal(row.status), `still ${row.status}, waiting for ${row.waitingFor}`).toBe(true)
      expect(cloud.updates, 'updates of the service').toBeLessThanOrEqual(1)
      expect(Math.max(0, ...cloud.continues.values()), 'continues of one hook').toBeLessThanOrEqual(1)
      expect(row.status === 'SUCCESS' || row.error !== null, `${row.status} says why`).toBe(true)

      const events = row.data.events ?? []
      const paused = events.filter((event) => event.stepCode === 'PAUSED').map((event) => event.hookId)
      expect(paused.sort(), 'each pause once').toEqual([...world.seenHooks].sort())
      const steps = events.map((event) => event.currentStep)
      expect(Math.min(...steps)).toBeGreaterThanOrEqual(1)
      for (const { currentStep, totalSteps } of events) expect(currentStep).toBeLessThanOrEqual(totalSteps)
      expect(steps, 'steps only go on').toEqual([...steps].sort((one, other) => one - other))
      if (row.status === 'CANCELLED') {
        expect(cloud.deployment?.status ?? 'STOPPED', 'nothing of a cancelled one runs on').toBe('STOPPED')
      }
      if (row.status === 'SUCCESS') {
        expect(cloud.deployment?.status).toBe('SUCCESSFUL')
        expect(paused.sort(), 'every pause of the cloud').toEqual(
          cloud.deployment?.hooks.map((one) => one.hookId).sort(),
        )
      }
    }),
    { numRuns: 3_000 },
  )
})

test('a canary that pauses before each shift pauses twice and ends when it was continued twice', () => {
  const world = new World(
    releaseOf({
      type: 'canary',
      bakeTimeInMinutes: 5,
      canary: { canaryPercent: 10, canaryBakeTimeInMinutes: 1 },
      pauseStages: [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeoutInMinutes: 60, timeoutAction: 'ROLLBACK' }],
    }),
  )
  world.save(started(world.row, world.now))
  for (let turn = 0; turn < 60; turn++) {
    world.advance()
    world.cloud.step(world.now.getTime())
    const decision = continuePause(world.row, undefined, world.now)
    if (decision.verdict === 'accepted') world.save(decision.standing)
  }
  expect(world.row.status).toBe('SUCCESS')
  expect(world.row.data.events?.map((event) => event.stepCode)).toEqual([
    'INIT',
    'REGISTER_RELEASE',
    'UPDATE_SERVICE',
    'SCALE_UP',
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

test('continuing again the pause that was continued is no error and changes nothing', () => {
  const world = new World(releaseOf({ type: 'blue_green', bakeTimeInMinutes: 0, pauseStages: [pause] }))
  world.save(started(world.row, world.now))
  for (let turn = 0; turn < 20; turn++) {
    world.advance()
    world.cloud.step(world.now.getTime())
  }
  const first = continuePause(world.row, 'hook-1', world.now)
  if (first.verdict !== 'accepted') throw new Error(`expected a pause, got ${first.verdict}`)
  world.save(first.standing)
  expect(continuePause(world.row, 'hook-1', world.now).verdict).toBe('repeated')
  expect(continuePause(world.row, undefined, world.now).verdict).toBe('repeated')
  expect(continuePause(world.row, 'hook-2', world.now).verdict).toBe('hook-not-pending')
  runOut(world)
  expect(world.row.status).toBe('SUCCESS')
  expect(continuePause(world.row, 'hook-1', world.now).verdict).toBe('repeated')
  expect(continuePause(world.row, undefined, world.now).verdict).toBe('not-paused')
})

const pause: PauseStage = { stage: 'POST_TEST_TRAFFIC_SHIFT', timeoutInMinutes: 60, timeoutAction: 'ROLLBACK' }

test('a pause does not use up the working time, and the time that was left counts on after it', () => {
  const world = new World(releaseOf({ type: 'blue_green', bakeTimeInMinutes: 0, pauseStages: [pause] }))
  world.save(started(world.row, world.now))
  const advanceTo = (isThere: () => boolean) => {
    for (let turn = 0; turn < 40 && !isThere(); turn++) {
      world.advance()
      world.cloud.step(world.now.getTime())
    }
    expect(isThere()).toBe(true)
  }
  const isPaused = () => world.row.progress.hooks.some((hook) => hook.state === 'waiting')
  world.now = later(world.now, 600_000) // ten of the thirty minutes
  advanceTo(isPaused)
  world.now = later(world.now, 3_000_000) // fifty minutes later, within the pause's hour
  world.advance()
  expect(world.row.status).toBe('IN_PROGRESS')

  const decision = continuePause(world.row, undefined, world.now)
  if (decision.verdict !== 'accepted') throw new Error(`expected a pause, got ${decision.verdict}`)
  world.save(decision.standing)
  advanceTo(() => !isPaused() && world.row.progress.hooks.every((hook) => hook.state === 'answered'))
  expect(world.row.deadlineAt).toEqual(later(world.now, 1_200_000))

  world.cloud.hangs = true
  world.now = later(world.now, 1_200_001)
  world.advance()
  expect(world.row).toMatchObject({ status: 'ROLLING_BACK', error: { code: 'Sluice:Deployments:TIMED_OUT' } })
})

/** Lets the worker and the cloud take turns until the row stands at `step`. */
function advanceToStep(world: World, step: Standing['progress']['step']): void {
  world.save(started(world.row, world.now))
  for (let turn = 0; turn < 10 && world.row.progress.step !== step; turn++) world.advance()
  expect(world.row.progress.step).toBe(step)
}

test('a refusal after an update that may have been heard does not end the deployment', () => {
  const world = new World(releaseOf({ type: 'rolling' }))
  advanceToStep(world, 'update')
  world.advance('save') // the service is updated, the worker dies before it can say so
  const action = nextAction(world.row, world.now)
  if (action.do !== 'find') throw new Error(`expected a look for the update, got ${action.do}`)
  world.save(refused(world.row, { name: 'AccessDeniedException', message: 'no' }, action, pace, world.now))
  expect(world.row.status).toBe('IN_PROGRESS')
  runOut(world)
  expect(world.row.status).toBe('SUCCESS')
  expect(world.cloud.updates).toBe(1)
})

test('an update whose answer was lost is not sent again before it must have arrived or been lost itself', () => {
  const world = new World(releaseOf({ type: 'rolling' }))
  advanceToStep(world, 'update')
  world.advance('effect') // written down, and the worker dies: the cloud may have been told
  const begun = world.now.getTime()
  while (world.cloud.updates === 0) {
    world.advance()
    if (world.row.wakeAt) world.now = world.row.wakeAt
  }
  expect(world.now.getTime() - begun).toBe(30_000)
  runOut(world)
  expect(world.row.status).toBe('SUCCESS')
})

test('a cancel that comes when the release is over says that it came too late', () => {
  const world = new World(releaseOf({ type: 'rolling' }))
  advanceToStep(world, 'observe')
  for (let turn = 0; turn < 5; turn++) world.cloud.step(world.now.getTime())
  expect(world.cloud.deployment?.status).toBe('SUCCESSFUL')
  const next = cancelled(world.row, world.now)
  if (!next) throw new Error('the deployment is not over for us yet')
  world.save(next)
  expect(world.row.status).toBe('ROLLING_BACK')
  runOut(world)
  expect(world.row).toMatchObject({ status: 'ERROR', error: { code: 'Sluice:Deployments:CANCEL_TOO_LATE' } })
})
