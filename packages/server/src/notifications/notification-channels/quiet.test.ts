import { type NotificationPayload, notificationTypes, severityOf, type Weekday, weekdays } from '@sluice/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { type DeliverySchedule, delayedUntil, deliveryScheduleFaults, isUrgent } from './quiet.ts'

const at = (text: string) => new Date(text)
const nights = { from: '19:00', until: '08:00', days: [...weekdays] }
const rhythm = (of: Partial<DeliverySchedule>): DeliverySchedule => ({
  quietHours: [],
  digest: 'NONE',
  timeZone: 'Europe/Berlin',
  ...of,
})

describe('a notification that can wait', () => {
  test(
    'is sent outside quiet hours',
    everyCase(
      [
        ['in the evening', {}, '2026-06-03T18:30:00Z', '2026-06-04T06:00:00Z'],
        ['when quiet hours begin', {}, '2026-06-03T17:00:00Z', '2026-06-04T06:00:00Z'],
        ['a moment before', {}, '2026-06-03T16:59:59.999Z', undefined],
        ['when they end', {}, '2026-06-04T06:00:00Z', undefined],
        // In Berlin, clocks went forward on 2026-03-29 and back on 2026-10-25.
        ['in the short night', {}, '2026-03-28T20:00:00Z', '2026-03-29T06:00:00Z'],
        ['in the long night', {}, '2026-10-24T20:00:00Z', '2026-10-25T07:00:00Z'],
        ['in an hour of a digest', { digest: 'HOURLY' }, '2026-06-03T10:12:00Z', '2026-06-03T11:00:00Z'],
        ['before a digest of the night', { digest: 'HOURLY' }, '2026-06-03T16:12:00Z', '2026-06-04T06:00:00Z'],
        ['on a day of a digest', { digest: 'DAILY' }, '2026-06-03T10:12:00Z', '2026-06-04T07:00:00Z'],
      ] as const,
      (_, of, now, until) => {
        const wanted = until === undefined ? undefined : at(until)
        expect(delayedUntil(rhythm({ quietHours: [nights], ...of }), at(now))).toEqual(wanted)
      },
    ),
  )

  test('in a weekend between quiet nights is sent on Monday', () => {
    const days: Weekday[] = ['MON', 'TUE', 'WED', 'THU', 'FRI']
    const weekend = { from: '00:00', until: '00:00', days: ['SAT', 'SUN'] satisfies Weekday[] }
    const quietHours = [
      { ...nights, days },
      weekend,
      { from: '00:00', until: '08:00', days: ['MON'] satisfies Weekday[] },
    ]
    expect(delayedUntil(rhythm({ quietHours }), at('2026-06-05T20:00:00Z'))).toEqual(at('2026-06-08T06:00:00Z'))
  })
})

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '15', '30', '45'))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`)
const period = fc.record({
  from: time,
  until: time,
  days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 }),
})
const anyRhythm = fc.record({
  quietHours: fc.array(period, { maxLength: 4 }),
  digest: fc.constantFrom('NONE', 'HOURLY', 'DAILY'),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'),
})
const moment = fc.date({ min: at('2026-01-01T00:00:00Z'), max: at('2027-12-31T00:00:00Z'), noInvalidDate: true })

test('any quiet hours end within days, at a time outside all of them', () => {
  fc.assert(
    fc.property(anyRhythm, moment, (of, now) => {
      fc.pre(deliveryScheduleFaults('SLACK', of, now).length === 0)
      const until = delayedUntil(of, now) ?? now
      expect(until.getTime()).toBeGreaterThanOrEqual(now.getTime())
      expect(until.getTime() - now.getTime()).toBeLessThan(10 * 86_400_000)
      expect(delayedUntil({ ...of, digest: 'NONE' }, until)).toBeUndefined()
    }),
    { numRuns: 50 },
  )
})

test('with any quiet hours, later notifications are not sent before earlier ones', () => {
  fc.assert(
    fc.property(anyRhythm, moment, fc.nat(3 * 86_400_000), (of, now, laterMs) => {
      const later = new Date(now.getTime() + laterMs)
      expect((delayedUntil(of, later) ?? later).getTime()).toBeGreaterThanOrEqual(
        (delayedUntil(of, now) ?? now).getTime(),
      )
    }),
    { numRuns: 50 },
  )
})

test('critical notifications and those about channels are never delayed', () => {
  const types: NotificationPayload['type'][] = [...notificationTypes, 'channel.test', 'channel.broken']
  const urgent = notificationTypes.filter((type) => severityOf(type) === 'CRITICAL')
  expect(types.filter(isUrgent)).toEqual([...urgent, 'channel.test', 'channel.broken'])
})

test(
  'invalid quiet hours are rejected at their field',
  everyCase(
    [
      ['SLACK', { quietHours: [{ from: '00:00', until: '00:00', days: [...weekdays] }] }, '$.data.quietHours'],
      ['EMAIL', { timeZone: 'Europe/Atlantis' }, '$.data.timeZone'],
      ['WEBHOOK', { digest: 'DAILY' }, '$.data.digest'],
      ['PAGERDUTY', { quietHours: [nights] }, '$.data.quietHours'],
    ] as const,
    (kind, given, place) => {
      const [fault, ...more] = deliveryScheduleFaults(
        kind,
        rhythm(given as Partial<DeliverySchedule>),
        at('2026-06-03T10:00:00Z'),
      )
      expect([fault, more]).toEqual([expect.stringContaining(`${place}: expected`), []])
    },
  ),
)
