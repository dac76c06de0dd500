import {
  auditType,
  belongsToChannel,
  type DeliveryAttempt,
  type NotificationDelivery,
  type NotificationPayload,
  severities,
  severityOf,
} from '@sluice/contract'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import { isCdEvent } from './messages/cd-event.ts'
import { resolves } from './messages/pager-duty.ts'
import type { NotificationDeliveryRow } from './tables.ts'

/** Delays after failed attempts, in milliseconds. After the last one, the delivery fails. */
export const backOffMs = [5_000, 60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 8 * 3_600_000] as const

/** Duration of uninterrupted failure after which a channel is disabled, in milliseconds. */
const patienceMs = 5 * 86_400_000

/** Response status of a receiver that wants no more deliveries (RFC 9110, 15.5.11). */
const gone = 410

/** State of a delivery after an attempt. */
export type AfterAttempt = Pick<NotificationDeliveryRow, 'status' | 'attempts' | 'nextAttemptAt'>

export function afterAttempt(
  { attempts: before }: Pick<NotificationDelivery, 'attempts'>,
  attempt: DeliveryAttempt,
  now: Date,
): AfterAttempt {
  const attempts = [...before, attempt]
  if (isTaken(attempt)) return { status: 'DELIVERED', attempts, nextAttemptAt: null }
  const waitMs = backOffMs[before.length]
  if (waitMs === undefined) return { status: 'FAILED', attempts, nextAttemptAt: null }
  return { status: 'PENDING', attempts, nextAttemptAt: new Date(now.getTime() + waitMs) }
}

/**
 * Reports whether the receiver accepted the delivery. Redirects are not followed, because their target is not
 * validated.
 */
const isTaken = ({ status = 0 }: DeliveryAttempt): boolean => status >= 200 && status < 300

/**
 * Number of failed attempts, over about six minutes, after which a channel counts as broken. A mere restart is shorter.
 */
const brokenAfterAttempts = 4

/** How long a channel has been failing, and whether it counts as broken. */
type Health = Pick<NotificationChannelRow, 'failingSince' | 'brokenSince'>

/** Returns a channel's health after the nth attempt of a delivery, with a reason if the channel is disabled. */
export function channelAfter(
  before: Health,
  { attempt, nth }: { attempt: DeliveryAttempt; nth: number },
  now: Date,
): Health & { disabledReason?: string } {
  if (isTaken(attempt)) return { failingSince: null, brokenSince: null }
  const failingSince = before.failingSince ?? now
  const disabled = disabledReason(attempt, failingSince, now)
  const isBroken = disabled !== undefined || nth >= brokenAfterAttempts
  return {
    failingSince,
    brokenSince: before.brokenSince ?? (isBroken ? now : null),
    ...(disabled !== undefined && { disabledReason: disabled }),
  }
}

function disabledReason(attempt: DeliveryAttempt, failingSince: Date, now: Date): string | undefined {
  if (attempt.status === gone) return 'It answered 410: it wants to hear no more.'
  if (now.getTime() - failingSince.getTime() < patienceMs) return undefined
  return `Nothing has arrived there since ${failingSince.toISOString()}.`
}

/**
 * Reports whether a delivery tells the owners by mail that its own channel is broken. It does not affect the channel's
 * health.
 */
export const tellsOwners = ({ channelId, recordId }: Pick<NotificationDeliveryRow, 'channelId' | 'recordId'>) =>
  recordId === channelId

/** Event about which channels and members may be notified. */
export type Event = {
  id: string
  /** Record of the event. Notifications about the same record are sent in order. */
  recordId: string
  /** Null for events of the organization outside any project. */
  projectId: string | null
  environmentId: string | null
  payload: NotificationPayload
}

type Subscription = Pick<NotificationChannelRow, 'events' | 'minimumSeverity' | 'format'> & Surroundings
type Surroundings = Pick<NotificationChannelRow, 'projectId' | 'environmentIds' | 'toldSince'>

/** Reports whether a channel gets an event. */
export const subscribesTo = (channel: Subscription, event: Event): boolean =>
  isWanted(channel, event.payload) && concerns(channel, event)

/**
 * Reports whether a channel's filters and format include an event type. Without a list of types, all of sufficient
 * severity except the audit log, which channel admins may not read.
 */
function isWanted({ events, minimumSeverity, format }: Subscription, { type }: NotificationPayload): boolean {
  if (belongsToChannel(type)) return false
  if (format === 'CDEVENTS' && !isCdEvent(type)) return false
  if ((events.length > 0 || type === auditType) && !events.includes(type)) return false
  return severities.indexOf(severityOf(type)) >= severities.indexOf(minimumSeverity)
}

/** Reports whether an event resolves an alert of the record in PagerDuty, regardless of the channel's filters. */
export const isResolvedBy = (channel: Pick<NotificationChannelRow, 'kind'> & Surroundings, event: Event): boolean =>
  channel.kind === 'PAGERDUTY' && resolves(event.payload.type) && concerns(channel, event)

/** Reports whether an event belongs to the channel's projects and environments and is recent enough. */
function concerns({ projectId, environmentIds, toldSince }: Surroundings, { payload, ...event }: Event): boolean {
  if (new Date(payload.timestamp) < toldSince) return false
  if (projectId !== null && projectId !== event.projectId) return false
  return environmentIds.length === 0 || (event.environmentId !== null && environmentIds.includes(event.environmentId))
}

/** Event to send at its own timestamp, shortly before a decision times out, if it is still pending. */
export type Reminder = { event: Event; expiresAt: Date }

/** Time between a reminder and the timeout, in milliseconds, unless a tenth of the total time is shorter. */
const defaultLeadMs = 3_600_000

/** Returns when to send a reminder of a decision. */
export function reminderTime(askedAt: Date, expiresAt: Date): Date {
  const tenthMs = (expiresAt.getTime() - askedAt.getTime()) / 10
  return new Date(expiresAt.getTime() - Math.min(defaultLeadMs, Math.max(0, tenthMs)))
}

/** Returns the reminders that are due, except timed-out ones, and the time of the next. */
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
