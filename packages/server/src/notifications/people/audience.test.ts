import type { NotificationPayload } from '@sluice/contract'
import { expect, test } from 'vitest'
import { mostInHour, personHeldUntil } from './audience.ts'
import { usualSettings } from './settings.ts'

const now = new Date('2026-11-26T10:20:00Z')
const nextHour = new Date('2026-11-26T11:00:00Z')
const event = (type: NotificationPayload['type']) => ({
  payload: { type, timestamp: now.toISOString(), data: { organizationId: 'org_1', channelId: 'nch_1', message: '' } },
})
const held = (type: NotificationPayload['type'], before: number, settings: Partial<typeof usualSettings> = {}) =>
  personHeldUntil({ ...usualSettings, ...settings }, event(type), { before, now })

test('who was written to often in an hour gets the rest at the full hour, what is critical included', () => {
  expect(held('deployment.paused', mostInHour - 1)).toBeUndefined()
  expect(held('deployment.paused', mostInHour)).toEqual(nextHour)
  expect(held('deployment.failed', mostInHour)).toEqual(nextHour)
})

test('quiet hours keep what can wait longer, and what is critical no longer than to the full hour', () => {
  const quietHours = [{ from: '10:00', until: '14:00', days: ['THU' as const] }]
  const end = new Date('2026-11-26T14:00:00Z')
  expect(held('deployment.paused', mostInHour, { quietHours })).toEqual(end)
  expect(held('deployment.failed', mostInHour, { quietHours })).toEqual(nextHour)
  expect(held('deployment.failed', 0, { quietHours })).toBeUndefined()
})
