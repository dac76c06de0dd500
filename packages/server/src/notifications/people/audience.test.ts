import type { NotificationPayload } from '@sluice/contract'
import { expect, test } from 'vitest'
import { maxPerHour, personDelayedUntil } from './audience.ts'
import { defaultSettings } from './settings.ts'

const now = new Date('2026-11-26T10:20:00Z')
const nextHour = new Date('2026-11-26T11:00:00Z')
const event = (type: NotificationPayload['type']) => ({
  payload: { type, timestamp: now.toISOString(), data: { organizationId: 'org_1', channelId: 'nch_1', message: '' } },
})
const held = (type: NotificationPayload['type'], before: number, settings: Partial<typeof defaultSettings> = {}) =>
  personDelayedUntil({ ...defaultSettings, ...settings }, event(type), { before, now })

test('beyond the hourly limit, mails are combined at the full hour, including critical ones', () => {
  expect(held('deployment.paused', maxPerHour - 1)).toBeUndefined()
  expect(held('deployment.paused', maxPerHour)).toEqual(nextHour)
  expect(held('deployment.failed', maxPerHour)).toEqual(nextHour)
})

test('quiet hours delay what can wait, and critical mails wait at most until the full hour', () => {
  const quietHours = [{ from: '10:00', until: '14:00', days: ['THU' as const] }]
  const end = new Date('2026-11-26T14:00:00Z')
  expect(held('deployment.paused', maxPerHour, { quietHours })).toEqual(end)
  expect(held('deployment.failed', maxPerHour, { quietHours })).toEqual(nextHour)
  expect(held('deployment.failed', 0, { quietHours })).toBeUndefined()
})
