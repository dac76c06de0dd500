import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { periodsToRead } from './periods.ts'
import type { MetricCheck } from './spec.ts'

const check = (periodSeconds: number, noDataAfterSeconds?: number): MetricCheck => ({
  metric: { namespace: 'Shop', name: 'Errors', statistic: 'Sum', dimensions: {}, periodSeconds },
  ...(noDataAfterSeconds === undefined ? {} : { noDataAfterSeconds }),
})
const at = (time: string) => new Date(`2026-11-20T${time}.000Z`)

test(
  'a check covers the last complete period',
  everyCase(
    [
      ['the first period is not over', 60, '10:00:30', '10:01:45', undefined, false],
      ['one is over', 60, '10:00:30', '10:02:05', ['10:01:00', '10:02:00'], false],
      ['several are', 60, '10:00:00', '10:03:59', ['10:00:00', '10:03:00'], false],
      ['the first is late', 60, '10:00:30', '10:06:59', ['10:01:00', '10:06:00'], false],
      ['the first is later than metrics are', 60, '10:00:30', '10:07:00', ['10:01:00', '10:07:00'], true],
      ['an hour has passed', 60, '10:00:30', '11:00:30', ['10:54:00', '11:00:00'], true],
      ['periods are long', 3_600, '10:00:30', '11:30:00', undefined, false],
    ],
    (_name, period, since, now, expected, mustHaveData) => {
      const look = periodsToRead(check(period), at(since), at(now))
      const [start = '', end = ''] = expected ?? []
      expect(look).toEqual({ periods: expected && { start: at(start), end: at(end) }, mustHaveData })
    },
  ),
)

test('an evaluated period never begins before the release reached its current step, and is always complete', () => {
  const seconds = fc.integer({ min: 0, max: 20_000 })
  fc.assert(
    fc.property(
      seconds,
      seconds,
      fc.constantFrom(60, 300, 3_600),
      fc.integer({ min: 0, max: 900 }),
      (from, passed, period, late) => {
        const since = new Date(at('10:00:00').getTime() + from * 1000)
        const now = new Date(since.getTime() + passed * 1000)
        const { periods, mustHaveData } = periodsToRead(check(period, late), since, now)
        if (mustHaveData) expect(periods).toBeDefined()
        if (!periods) return
        expect(periods.start >= since).toBe(true)
        expect(periods.end <= now).toBe(true)
        expect((periods.end.getTime() - periods.start.getTime()) % (period * 1000)).toBe(0)
      },
    ),
  )
})
