import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Event } from './machine.ts'
import { dueOf, type Reminder, remindsAt } from './reminder.ts'

const hourMs = 3_600_000
const start = Date.UTC(2026, 10, 25)
const moment = fc.integer({ min: 0, max: 20 * 24 * hourMs }).map((ms) => new Date(start + ms))

test('whenever something is asked and expires, people are reminded between the two: an hour before, or a tenth of the time', () => {
  fc.assert(
    fc.property(moment, moment, (one, other) => {
      const [asked, expires] = one < other ? [one, other] : [other, one]
      const at = remindsAt(asked, expires)
      const leadMs = expires.getTime() - at.getTime()
      const wholeMs = expires.getTime() - asked.getTime()
      expect(at.getTime()).toBeGreaterThanOrEqual(asked.getTime())
      expect(Math.abs(leadMs - (wholeMs > 10 * hourMs ? hourMs : wholeMs / 10))).toBeLessThan(1)
    }),
  )
})

const reminder = (at: Date, expiresAt: Date, index: number): Reminder => ({
  expiresAt,
  event: {
    ...{ id: `event_${index}`, recordId: 'dep_1', projectId: 'prj_1', environmentId: null },
    payload: { type: 'deployment.pause_expires_soon', timestamp: at.toISOString() } as Event['payload'],
  },
})

test('however often it is looked, each reminder is due from its time until what it is about expires, and none is slept through', () => {
  const some = fc.array(fc.tuple(moment, fc.integer({ min: 1, max: 48 * hourMs })), { maxLength: 8 })
  fc.assert(
    fc.property(some, (pairs) => {
      const all = pairs.map(([at, ms], index) => reminder(at, new Date(at.getTime() + ms), index))
      const told = new Set<string>()
      let now: Date | undefined = new Date(start - 1)
      while (now) {
        const { due, nextAt } = dueOf(all, now)
        for (const { id } of due) told.add(id)
        if (nextAt) expect(nextAt.getTime()).toBeGreaterThan(now.getTime())
        now = nextAt
      }
      expect(told.size).toBe(all.length)
      const never = dueOf(all, new Date(start + 365 * 24 * hourMs))
      expect(never).toEqual({ due: [], nextAt: undefined })
    }),
  )
})
