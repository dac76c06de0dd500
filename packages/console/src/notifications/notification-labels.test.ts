import { type NotificationDelivery, subscribableTypes } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { describeDeliveryResult, describeDeliverySchedule, selectableEvents } from './notification-labels.ts'

test('every event of the contract can be selected', () => {
  expect(selectableEvents.map(({ type }) => type)).toEqual(subscribableTypes)
})

const delivery = (more: Partial<NotificationDelivery>) => ({ attempts: [], ...more }) as unknown as NotificationDelivery
const at = '2026-11-25T12:00:00.000Z'

test(
  'the result of a delivery is described',
  everyCase(
    [
      [{ nextAttemptAt: at }, 'Sending soon.'],
      [{ nextAttemptAt: at, isHeldBack: true }, 'Held until quiet hours end, or for a digest.'],
      [{}, 'Not sent.'],
      [{ attempts: [{ at, durationMs: 1, status: 200, answer: 'ok' }] }, 'Response 200: ok'],
      [{ attempts: [{ at, durationMs: 1, status: 204 }] }, 'Response 204'],
      [
        {
          attempts: [
            { at, durationMs: 1, status: 500 },
            { at, durationMs: 1, error: 'It is gone.' },
          ],
        },
        'It is gone.',
      ],
    ],
    (more, words) => {
      expect(describeDeliveryResult(delivery(more))).toBe(words)
    },
  ),
)

test('digest and quiet hours are described with days and time zone', () => {
  const timeZone = 'Europe/Berlin'
  expect(describeDeliverySchedule({ quietHours: [], digest: 'NONE', timeZone })).toBe('Immediately')
  const quietHours = [{ from: '19:00', until: '08:00', days: ['MON' as const, 'TUE' as const] }]
  expect(describeDeliverySchedule({ quietHours, digest: 'HOURLY', timeZone })).toBe(
    'Hourly digest; quiet from 19:00 to 08:00 (Mon, Tue); Europe/Berlin',
  )
})
