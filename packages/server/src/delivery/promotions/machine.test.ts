import { deploymentStatuses } from '@sluice/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import {
  decidePromotion,
  defaultRule,
  eligibilityBlocker,
  forecastOf,
  type Health,
  healthOf,
  healthySinceAfter,
  type Source,
  soakStart,
} from './machine.ts'

const minute = 60_000
const moment = fc.integer({ min: 0, max: 600 }).map((minutes) => new Date(minutes * minute))
const health = fc.constantFrom<Health>('HEALTHY', 'UNHEALTHY', 'UNKNOWN')
const rule = fc.record({
  soakMinutes: fc.integer({ min: 0, max: 120 }),
  start: fc.constantFrom('MANUAL', 'AUTOMATIC'),
  mode: fc.constantFrom('ENFORCE', 'WARN'),
  createdAt: moment,
  isInOrder: fc.boolean(),
})
const source: fc.Arbitrary<Source> = fc.record({
  status: fc.constantFrom('SUCCESS' as const, ...deploymentStatuses),
  createdAt: moment,
  completedAt: moment,
  isLive: fc.boolean(),
  isRollback: fc.boolean(),
  isExternal: fc.boolean(),
  hasFailed: fc.boolean(),
  isRollingBack: fc.boolean(),
  healthySince: fc.option(fc.option(moment), { nil: undefined }),
})
const target = fc.record({
  liveFrom: fc.option(moment, { nil: undefined }),
  wasThere: fc.boolean(),
  wasRolledBack: fc.boolean(),
  isBusy: fc.boolean(),
})
const waitsFor = fc.option(
  fc.record({ gate: fc.constantFrom('HOLD' as const, 'FREEZE' as const), message: fc.string() }),
  {
    nil: undefined,
  },
)
const gates = fc.record({ waitsFor, canAuthorDeploy: fc.boolean() })
const known = fc.record({ rule, source, target, gates, health })

const good: fc.Arbitrary<Parameters<typeof decidePromotion>[0]> = fc.constant({
  rule: { soakMinutes: 30, start: 'AUTOMATIC', mode: 'ENFORCE', createdAt: new Date(0), isInOrder: true },
  source: {
    status: 'SUCCESS',
    createdAt: new Date(minute),
    completedAt: new Date(2 * minute),
    isLive: true,
    isRollback: false,
    isExternal: false,
    hasFailed: false,
    isRollingBack: false,
    healthySince: undefined,
  },
  target: { liveFrom: new Date(0), wasThere: false, wasRolledBack: false, isBusy: false },
  gates: { waitsFor: undefined, canAuthorDeploy: true },
  health: 'HEALTHY',
})
/**
 * Half of the generated facts differ in at most one value from a promotable release, because random facts rarely are.
 */
const likely = fc.oneof(
  known,
  fc.tuple(good, known, fc.constantFrom('rule', 'source', 'target', 'gates', 'health')).map(([one, other, part]) => ({
    ...one,
    [part]: other[part as keyof typeof other],
  })),
)

test('a release that is ready for a manual promotion is reported as such, unless it would wait at the target', () => {
  fc.assert(
    fc.property(likely, moment, fc.boolean(), (facts, now, isRuled) => {
      const rule = isRuled ? { ...facts.rule, start: 'MANUAL' as const } : defaultRule
      const forecast = forecastOf({ ...facts, rule }, now)
      const { isBusy } = facts.target
      const stopsThere = isBusy || facts.gates.waitsFor !== undefined
      if (forecast.do === 'wait' && forecast.blocker === 'MANUAL') {
        expect(stopsThere).toBe(false)
        expect(eligibilityBlocker(rule, facts.source, now)).toBeUndefined()
      } else if (forecast.do === 'wait' && ['IN_PROGRESS', 'HELD', 'FROZEN'].includes(forecast.blocker)) {
        expect(stopsThere).toBe(true)
      } else expect(forecast).toEqual(decidePromotion({ ...facts, rule }, now))
      expect(forecast.do).not.toBe('release') // a user starts it
    }),
  )
})

test('an automatic promotion is live, successful, healthy for long enough, newer than the target, and not blocked', () => {
  let released = 0
  fc.assert(
    fc.property(likely, moment, (facts, now) => {
      if (decidePromotion(facts, now).do !== 'release') return
      released++
      const { rule, source, target, gates, health } = facts
      expect(rule).toMatchObject({ start: 'AUTOMATIC', mode: 'ENFORCE', isInOrder: true })
      expect(source).toMatchObject({ status: 'SUCCESS', isLive: true, isRollback: false, isExternal: false })
      expect(source).toMatchObject({ hasFailed: false, isRollingBack: false })
      expect(health).toBe('HEALTHY')
      const since = source.healthySince ?? Math.max(rule.createdAt.getTime(), source.completedAt?.getTime() ?? 0)
      expect(now.getTime() - Number(since)).toBeGreaterThanOrEqual(rule.soakMinutes * minute)
      expect(target).toMatchObject({ wasThere: false, wasRolledBack: false, isBusy: false })
      if (target.liveFrom) expect(target.liveFrom < source.createdAt).toBe(true)
      expect(gates).toEqual({ waitsFor: undefined, canAuthorDeploy: true })
    }),
    { numRuns: 2_000 },
  )
  expect(released).toBeGreaterThan(50)
})

test('a skipped release stays skipped, regardless of time and gates', () => {
  fc.assert(
    fc.property(likely, moment, moment, gates, health, (facts, now, later, gates, health) => {
      const next = decidePromotion(facts, now)
      fc.pre(next.do === 'pass over' && next.blocker !== 'WARNING')
      expect(decidePromotion({ ...facts, gates, health }, later)).toEqual(next)
    }),
  )
})

test('a soak time ends when it was predicted to, unless something else happens', () => {
  fc.assert(
    fc.property(rule, source, moment, (rule, source, now) => {
      const blocker = eligibilityBlocker(rule, source, now)
      fc.pre(blocker?.until !== undefined)
      const until = blocker?.until ?? now
      expect(eligibilityBlocker(rule, source, new Date(until.getTime() - 1))).toEqual(blocker)
      expect(eligibilityBlocker(rule, source, until)).toBe(undefined)
    }),
  )
})

test('an unhealthy observation restarts the soak time, and an unknown one does not change it', () => {
  fc.assert(
    fc.property(rule, source, moment, (rule, source, now) => {
      expect(healthySinceAfter('UNKNOWN', rule, source, now)).toEqual(soakStart(rule, source))
      expect(healthySinceAfter('UNHEALTHY', rule, source, now)).toBe(null)
      expect(healthySinceAfter('HEALTHY', rule, { ...source, healthySince: null }, now)).toEqual(now)
      const since = healthySinceAfter('HEALTHY', rule, source, now)
      if (source.healthySince !== null) expect(since).toEqual(soakStart(rule, source))
    }),
  )
})

test(
  'a service is healthy if enough tasks are running',
  everyCase<[number, number, number, Health]>(
    [
      [2, 0, 2, 'HEALTHY'],
      [3, 0, 2, 'HEALTHY'],
      [0, 0, 0, 'HEALTHY'],
      [1, 1, 2, 'UNKNOWN'],
      [1, 0, 2, 'UNHEALTHY'],
      [0, 2, 2, 'UNHEALTHY'],
    ],
    (runningTasks, startingTasks, desiredTasks, is) => {
      expect(healthOf({ runningTasks, startingTasks, desiredTasks })).toBe(is)
    },
  ),
)
