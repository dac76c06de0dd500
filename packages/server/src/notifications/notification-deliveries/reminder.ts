import type { Event } from './machine.ts'

/** What is told shortly before the time to decide is over, if it still waits then: at the timestamp of the event. */
export type Reminder = { event: Event; expiresAt: Date }

/** So long before the time to decide is over; or a tenth of that time, where it is shorter. Milliseconds. */
const usualLeadMs = 3_600_000

/** When somebody is reminded of what was asked and expires then. */
export function remindsAt(askedAt: Date, expiresAt: Date): Date {
  const tenthMs = (expiresAt.getTime() - askedAt.getTime()) / 10
  return new Date(expiresAt.getTime() - Math.min(usualLeadMs, Math.max(0, tenthMs)))
}

/** Those that are to be told now, and when the next is. What has expired is nothing to be reminded of. */
export function dueOf(reminders: readonly Reminder[], now: Date): { due: Event[]; nextAt: Date | undefined } {
  const isDue = ({ event }: Reminder) => timeOf(event) <= now
  const [next] = reminders
    .filter((one) => !isDue(one))
    .map(({ event }) => timeOf(event))
    .toSorted((one, other) => one.getTime() - other.getTime())
  const due = reminders.filter((one) => isDue(one) && one.expiresAt > now).map(({ event }) => event)
  return { due, nextAt: next }
}

const timeOf = ({ payload }: Event): Date => new Date(payload.timestamp)
