import type { DeploymentConfiguration } from '@aws-sdk/client-ecs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import {
  answerHook,
  isFinal,
  newRollout,
  nextRollout,
  phaseOf,
  type Rollout,
  type RolloutFacts,
  requestRollback,
  requestStop,
  statusTransitions,
  wakeAt,
  weightsOf,
} from './rollout.ts'
import type { Strategy } from './stages.ts'

const pace = { requestSeconds: 1, stageSeconds: 2, trafficShiftSeconds: 10 }
const minute = 60_000

let hooks = 0
const facts = (changes: Partial<RolloutFacts> = {}): RolloutFacts => ({
  now: 0,
  pace,
  configuration: { strategy: 'BLUE_GREEN', bakeTimeInMinutes: 1 },
  predecessorsAreOver: true,
  hasStrays: false,
  alarmBakeMinutes: 0,
  hasBase: true,
  targetIsUp: true,
  targetIsGone: true,
  baseIsUp: true,
  othersAreGone: true,
  newHookId: () => `hook-${++hooks}`,
  isFunction: () => true,
  ...changes,
})

/** Advances time until no timed transition remains. */
function run(start: Rollout, given: RolloutFacts): { rollout: Rollout; statuses: string[]; now: number } {
  let rollout = start
  let now = given.now
  const statuses = [rollout.status as string]
  for (;;) {
    const after = nextRollout(rollout, { ...given, now })
    if (after) {
      if (after.status !== rollout.status) statuses.push(after.status)
      rollout = after
      continue
    }
    const at = wakeAt(rollout, { now, pace })
    if (at === undefined) return { rollout, statuses, now }
    now = at
  }
}

/** Returns a rollout that has reached `stage` by time alone. */
function arrivedAt(stage: string, given: RolloutFacts): { rollout: Rollout; now: number } {
  let rollout = newRollout(given.configuration.strategy ?? 'ROLLING', 0)
  for (let now = 0; now < 10 * minute; now += 500) {
    for (;;) {
      if (phaseOf(rollout)?.stage === stage) return { rollout, now }
      const after = nextRollout(rollout, { ...given, now })
      if (!after) break
      rollout = after
    }
  }
  throw new Error(`It never came to ${stage}.`)
}

const pauseAt = (stage: 'POST_SCALE_UP', action: 'CONTINUE' | 'ROLLBACK' = 'ROLLBACK'): DeploymentConfiguration => ({
  strategy: 'BLUE_GREEN',
  bakeTimeInMinutes: 1,
  lifecycleHooks: [
    { targetType: 'PAUSE', lifecycleStages: [stage], timeoutConfiguration: { timeoutInMinutes: 10, action } },
  ],
})

test(
  'the statuses of a rollout follow from its facts',
  everyCase(
    [
      ['all goes well', {}, ['PENDING', 'IN_PROGRESS', 'SUCCESSFUL']],
      ['a predecessor is not over', { predecessorsAreOver: false }, ['PENDING']],
      [
        'green never comes up',
        { targetIsUp: false },
        ['PENDING', 'IN_PROGRESS', 'ROLLBACK_IN_PROGRESS', 'ROLLBACK_SUCCESSFUL'],
      ],
      ['blue does not go away', { othersAreGone: false }, ['PENDING', 'IN_PROGRESS']],
      ['other revisions do not go away', { hasStrays: true }, ['PENDING', 'IN_PROGRESS']],
      [
        'it fails with rollback',
        { failure: { reason: 'tasks', rollback: true } },
        ['PENDING', 'IN_PROGRESS', 'ROLLBACK_IN_PROGRESS', 'ROLLBACK_SUCCESSFUL'],
      ],
      [
        'it fails with nothing to go back to',
        { failure: { reason: 'tasks', rollback: true }, hasBase: false },
        ['PENDING', 'IN_PROGRESS', 'ROLLBACK_IN_PROGRESS', 'ROLLBACK_FAILED'],
      ],
      [
        'it fails without rollback',
        { failure: { reason: 'tasks', rollback: false } },
        ['PENDING', 'IN_PROGRESS', 'STOPPED'],
      ],
      [
        'a pause times out with rollback',
        { configuration: pauseAt('POST_SCALE_UP') },
        ['PENDING', 'IN_PROGRESS', 'ROLLBACK_IN_PROGRESS', 'ROLLBACK_SUCCESSFUL'],
      ],
      [
        'a pause times out with continue',
        { configuration: pauseAt('POST_SCALE_UP', 'CONTINUE') },
        ['PENDING', 'IN_PROGRESS', 'SUCCESSFUL'],
      ],
    ] as [string, Partial<RolloutFacts>, string[]][],
    (_, changes, statuses) => {
      expect(run(newRollout('BLUE_GREEN', 0), facts(changes)).statuses).toEqual(statuses)
    },
  ),
)

test('a pause holds the deployment exactly until it is answered', () => {
  const given = facts({ configuration: pauseAt('POST_SCALE_UP') })
  const { rollout, now } = arrivedAt('POST_SCALE_UP', given)
  const later = now + 5 * minute
  expect(nextRollout(rollout, { ...given, now: later })).toBeUndefined()
  const answered = answerHook(rollout, rollout.hooks[0]?.hookId ?? '', 'CONTINUE', later) as Rollout
  expect(phaseOf(nextRollout(answered, { ...given, now: later }) ?? answered)?.stage).toBe('TEST_TRAFFIC_SHIFT')
})

test('a canary deployment bakes before the second shift, not after it', () => {
  const configuration: DeploymentConfiguration = {
    strategy: 'CANARY',
    canaryConfiguration: { canaryPercent: 10, canaryBakeTimeInMinutes: 5 },
    bakeTimeInMinutes: 3,
  }
  const quick = run(newRollout('CANARY', 0), facts({ configuration: { ...configuration, bakeTimeInMinutes: 0 } }))
  const baked = run(newRollout('CANARY', 0), facts({ configuration }))
  expect(baked.now - quick.now).toBe(3 * minute)
  expect(quick.now).toBeGreaterThan(5 * minute)
  expect(quick.now).toBeLessThan(6 * minute)
})

test(
  'in every status, a rollback and a stop have the expected result',
  everyCase(
    [
      ['PENDING', 'ROLLBACK_REQUESTED', 'STOP_REQUESTED'],
      ['IN_PROGRESS', 'ROLLBACK_REQUESTED', 'STOP_REQUESTED'],
      ['STOP_REQUESTED', 'STOP_REQUESTED', 'STOP_REQUESTED'],
      ['ROLLBACK_REQUESTED', 'ROLLBACK_REQUESTED', 'ROLLBACK_REQUESTED'],
      ['ROLLBACK_IN_PROGRESS', 'ROLLBACK_IN_PROGRESS', 'ROLLBACK_IN_PROGRESS'],
      ['SUCCESSFUL', 'SUCCESSFUL', 'SUCCESSFUL'],
      ['STOPPED', 'STOPPED', 'STOPPED'],
    ] as const,
    (status, rolledBack, stopped) => {
      const rollout: Rollout = { ...newRollout('BLUE_GREEN', 0), status }
      expect(requestRollback(rollout, 'why', 1).status).toBe(rolledBack)
      expect(requestStop(rollout, 'why', 1).status).toBe(stopped)
    },
  ),
)

test('any sequence of events makes only legal transitions, ends finally, and leaves no open pause', () => {
  type Event =
    | { kind: 'time'; minutes: number }
    | { kind: 'continue' | 'rollback' | 'stop' | 'supersede' | 'fail' | 'turn' }
  const events: fc.Arbitrary<Event> = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 20 }).map((minutes) => ({ kind: 'time' as const, minutes })) },
    ...(['continue', 'rollback', 'stop', 'supersede', 'fail', 'turn'] as const).map((kind) => ({
      weight: 1,
      arbitrary: fc.constant({ kind }),
    })),
  )
  const strategies = fc.constantFrom<Strategy>('ROLLING', 'BLUE_GREEN', 'LINEAR', 'CANARY')
  const world = fc.record({ hasBase: fc.boolean(), hasStrays: fc.boolean(), rollback: fc.boolean() })
  fc.assert(
    fc.property(strategies, world, fc.array(events, { maxLength: 40 }), (strategy, { rollback, ...given }, story) => {
      const lifecycleHooks = pauseAt('POST_SCALE_UP').lifecycleHooks ?? []
      const configuration = { strategy, ...(strategy === 'ROLLING' ? {} : { lifecycleHooks }) }
      let known = facts({ ...given, configuration })
      let rollout = newRollout(strategy, 0)
      const become = (after: Rollout) => {
        if (after.status !== rollout.status) expect(statusTransitions[rollout.status]).toContain(after.status)
        if (isFinal(rollout.status)) expect(after).toEqual(rollout)
        if (isFinal(after.status)) expect(after.hooks.some(({ status }) => status === 'AWAITING_ACTION')).toBe(false)
        const { production, test: tested } = weightsOf(after)
        expect(production >= 0 && production <= 100 && tested >= 0 && tested <= 100).toBe(true)
        rollout = after
      }
      const settle = () => {
        for (let moves = 0; ; moves++) {
          const after = nextRollout(rollout, known)
          if (!after) return
          expect(moves).toBeLessThan(100)
          become(after)
        }
      }
      for (const event of story) {
        if (event.kind === 'time') known = { ...known, now: known.now + event.minutes * minute }
        if (event.kind === 'turn') known = { ...known, targetIsUp: !known.targetIsUp, hasStrays: false }
        if (event.kind === 'fail') known = { ...known, failure: { reason: 'failed', rollback } }
        if (event.kind === 'stop') become(requestRollback(rollout, 'asked', known.now))
        if (event.kind === 'supersede') become(requestStop(rollout, 'newer', known.now))
        const open = rollout.hooks.find(({ status }) => status === 'AWAITING_ACTION')
        const action = event.kind === 'continue' ? 'CONTINUE' : event.kind === 'rollback' ? 'ROLLBACK' : undefined
        const answered = open && action ? answerHook(rollout, open.hookId, action, known.now) : undefined
        if (answered && typeof answered !== 'string') become(answered)
        settle()
      }
    }),
  )
})

test('a rolling deployment with alarms bakes after its tasks are replaced', () => {
  const given = facts({ configuration: { strategy: 'ROLLING' }, alarmBakeMinutes: 5 })
  const { rollout, now } = arrivedAt('BAKE_TIME', given)
  expect([rollout.status, weightsOf(rollout)]).toEqual(['IN_PROGRESS', { production: 0, test: 0 }])
  expect(nextRollout(rollout, { ...given, now: now + 5 * minute - 1 })).toBeUndefined()
  expect(run(rollout, { ...given, now }).rollout.status).toBe('SUCCESSFUL')
  const failure = { reason: 'an alarm', rollback: true }
  const failed = nextRollout(rollout, { ...given, now, failure })
  expect([failed?.status, failed && phaseOf(failed)?.stage]).toEqual(['ROLLBACK_IN_PROGRESS', 'REPLACE_TASKS'])
})
