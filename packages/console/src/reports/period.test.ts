import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { intervalOf, periodOf, timeRangeOf } from './period.ts'

const now = new Date('2026-03-10T15:30:00Z')

test(
  'a report covers the chosen period',
  everyCase(
    [
      ['the last 30 days without a choice', {}, '2026-02-09T00:00:00.000Z', undefined],
      ['seven days with today', { days: '7' }, '2026-03-04T00:00:00.000Z', undefined],
      ['the default for an unknown period', { days: '12' }, '2026-02-09T00:00:00.000Z', undefined],
      [
        'both days whole',
        { from: '2026-03-01', to: '2026-03-02' },
        '2026-03-01T00:00:00.000Z',
        '2026-03-03T00:00:00.000Z',
      ],
      ['from a day up to now', { from: '2026-03-01' }, '2026-03-01T00:00:00.000Z', undefined],
      ['the days before one', { to: '2026-03-02', days: '7' }, '2026-02-24T00:00:00.000Z', '2026-03-03T00:00:00.000Z'],
      ['the usual where there is no such day', { from: '2026-13-45' }, '2026-02-09T00:00:00.000Z', undefined],
    ],
    (_, chosen, startTime, endTime) => {
      expect(timeRangeOf(chosen, now)).toEqual({ startTime, ...(endTime !== undefined && { endTime }) })
    },
  ),
)

test(
  'the period is read from the query',
  everyCase(
    [
      [{}, '30'],
      [{ days: '90' }, '90'],
      [{ days: '90', from: '2026-03-01' }, undefined],
    ] as const,
    (chosen, period) => {
      expect(periodOf(chosen)).toBe(period)
    },
  ),
)

test('a longer period has longer intervals', () => {
  const intervals = ['2026-03-04', '2026-01-01', '2025-04-01'].map((from) =>
    intervalOf(timeRangeOf({ from }, now), now),
  )
  expect(intervals).toEqual(['DAY', 'WEEK', 'MONTH'])
})
