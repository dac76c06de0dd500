import { type NotificationDelivery, notificationTypes } from '@sluice/contract'
import { expect, test } from 'vitest'
import { happenings, resultOf } from './words.ts'

test('everything that a channel may be told of can be chosen', () => {
  expect(happenings.map(({ type }) => type)).toEqual(notificationTypes)
})

const delivery = (more: Partial<NotificationDelivery>) => ({ attempts: [], ...more }) as unknown as NotificationDelivery
const at = '2026-11-25T12:00:00.000Z'

test.each([
  [{ nextAttemptAt: at }, 'It is about to be sent.'],
  [{}, 'It was not tried.'],
  [{ attempts: [{ at, durationMs: 1, status: 200, answer: 'ok' }] }, 'Answered 200: ok'],
  [{ attempts: [{ at, durationMs: 1, status: 204 }] }, 'Answered 204'],
  [
    {
      attempts: [
        { at, durationMs: 1, status: 500 },
        { at, durationMs: 1, error: 'It is gone.' },
      ],
    },
    'It is gone.',
  ],
])('of %j the result is read as %s', (more, words) => {
  expect(resultOf(delivery(more))).toBe(words)
})
