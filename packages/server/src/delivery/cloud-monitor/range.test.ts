import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { logRange, metricRange } from './range.ts'

const now = new Date('2026-03-05T12:00:00.000Z')
const ago = (ms: number) => new Date(now.getTime() - ms).toISOString()
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

describe('the range of a log query', () => {
  test('defaults to the last hour', () => {
    expect(logRange({}, now)).toEqual({ start: new Date(now.getTime() - hour), end: now })
  })
  test.each([
    [{ startTime: ago(0), endTime: ago(hour) }, '$.startTime: expected a moment before'],
    [{ startTime: ago(32 * day) }, '$.startTime: expected at most 31 days'],
    [{ startTime: '2026-02-31T25:00:00Z' }, '$.startTime: expected a moment that there is'],
  ])('%j is rejected with the path of the error', (wish, fault) => {
    expect(logRange(wish, now)).toEqual({ fault: expect.stringContaining(fault) })
  })
})

describe('the range of a metrics query', () => {
  test(
    'determines the interval between points',
    everyCase(
      [
        [{}, 60],
        [{ startTime: ago(12 * hour) }, 300],
        [{ startTime: ago(7 * day) }, 3_600],
        [{ startTime: ago(20 * day), endTime: ago(20 * day - hour) }, 300],
        [{ startTime: ago(100 * day), endTime: ago(100 * day - hour) }, 3_600],
        [{ startTime: ago(400 * day) }, 172_800],
      ],
      (wish, periodSeconds) => {
        expect(metricRange(wish, now)).toMatchObject({ periodSeconds })
      },
    ),
  )
  test.each([
    [{ startTime: ago(2 * day), periodSeconds: 60 }, 'expected at least 120'],
    [{ startTime: ago(20 * day), endTime: ago(20 * day - hour), periodSeconds: 60 }, 'expected a multiple of 300'],
  ])('%j is rejected', (wish, fault) => {
    expect(metricRange(wish, now)).toEqual({ fault: expect.stringContaining(fault) })
  })
  test('any default results in few points that the cloud still has', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 455 * 24 * 60 }), (minutes) => {
        const range = metricRange({ startTime: ago(minutes * minute) }, now)
        if ('fault' in range) throw new Error(range.fault)
        expect((minutes * 60) / range.periodSeconds).toBeLessThanOrEqual(300)
        expect(range.periodSeconds % (minutes >= 63 * 24 * 60 ? 3_600 : minutes >= 15 * 24 * 60 ? 300 : 60)).toBe(0)
      }),
    )
  })
})
