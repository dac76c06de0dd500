import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { afterCheck } from './machine.ts'
import { nextCheckTime } from './next-check.ts'

const at = (text: string) => new Date(text)
const daily = { cron: '0 6 * * *', timeZone: 'Europe/Berlin' }

test('a stack has a fixed offset from its schedule, and its checks are one period apart', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.constantFrom('*/5 * * * *', '0 * * * *', '0 6 * * *'), fc.nat(86_400), (id, cron, s) => {
      const schedule = { stackId: id, cron, timeZone: 'UTC' }
      const now = new Date(Date.UTC(2026, 2, 10) + s * 1_000)
      const periodMs = { '*/5 * * * *': 300_000, '0 * * * *': 3_600_000 }[cron as string] ?? 86_400_000
      const next = nextCheckTime(schedule, now)
      if (!next) throw new Error('it comes again')
      const late = (next.getTime() % periodMs) % 3_600_000
      expect(next > now).toBe(true)
      expect(late % 300_000 <= Math.min(periodMs / 4, 30 * 60_000) || cron !== '*/5 * * * *').toBe(true)
      expect(late).toBeLessThanOrEqual(30 * 60_000)
      expect((nextCheckTime(schedule, next)?.getTime() ?? 0) - next.getTime()).toBe(periodMs)
    }),
  )
})

test('a thousand stacks are spread over half an hour in their time zone', () => {
  const times = Array.from({ length: 1_000 }, (_, index) =>
    nextCheckTime({ stackId: `stk_${index}`, ...daily }, at('2026-07-01T00:00:00Z')),
  ).map((time) => (time?.getTime() ?? 0) - at('2026-07-01T04:00:00Z').getTime())
  const perMinute = Map.groupBy(times, (ms) => Math.floor(ms / 60_000))
  expect([...perMinute.keys()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, minute) => minute))
  expect(Math.max(...[...perMinute.values()].map(({ length }) => length))).toBeLessThan(80)
})

const now = at('2026-03-10T06:00:00Z')
const before = at('2026-03-09T06:00:00Z')
const known = { driftedSince: before, reconcilingRunId: 'run_1' }

test(
  'each drift starts one run',
  everyCase(
    [
      ['nothing drifted', known, { count: 0, lastAppliedAt: null }, { driftedSince: null, reconcilingRunId: null }],
      ['it drifted now', { driftedSince: null, reconcilingRunId: null }, { count: 2, lastAppliedAt: null }, now],
      ['it is as it was', known, { count: 3, lastAppliedAt: at('2026-03-08T06:00:00Z') }, known],
      ['it was undone and drifted again', known, { count: 1, lastAppliedAt: at('2026-03-09T07:00:00Z') }, now],
    ],
    (_what, before, found, expected) => {
      const after = expected instanceof Date ? { driftedSince: expected, reconcilingRunId: null } : expected
      expect(afterCheck(before, { ...found, now })).toEqual(after)
    },
  ),
)
