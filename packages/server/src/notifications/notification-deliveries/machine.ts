import {
  auditType,
  type DeliveryAttempt,
  isOfChannel,
  type NotificationDelivery,
  type NotificationPayload,
  severities,
  severityOf,
} from '@sluice/contract'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import { isCdEvent } from './messages/cd-event.ts'
import { resolves } from './messages/pager-duty.ts'
import type { NotificationDeliveryRow } from './tables.ts'

/** How long after each attempt that failed the next one is made; after the last, none. Milliseconds. */
export const backOffMs = [5_000, 60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 8 * 3_600_000] as const

/** A channel that has only failed for so long is disabled. Milliseconds. */
const patienceMs = 5 * 86_400_000

/** The answer of a receiver that wants to hear no more (RFC 9110, 15.5.11). */
const gone = 410

/** What an attempt makes of its delivery. */
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

/** Redirections are not followed: what they lead to has not been asked. */
const isTaken = ({ status = 0 }: DeliveryAttempt): boolean => status >= 200 && status < 300

/** So many attempts at one delivery fail within some six minutes; a receiver that is only restarted is back by then. */
const brokenAfterAttempts = 4

/** How a channel fares. */
type Health = Pick<NotificationChannelRow, 'failingSince' | 'brokenSince'>

/** What an attempt, the nth at its delivery, makes of its channel; and why it is disabled where it is. */
export function channelAfter(
  before: Health,
  { attempt, nth }: { attempt: DeliveryAttempt; nth: number },
  now: Date,
): Health & { disabledReason?: string } {
  if (isTaken(attempt)) return { failingSince: null, brokenSince: null }
  const failingSince = before.failingSince ?? now
  const disabled = whyDisabled(attempt, failingSince, now)
  const isBroken = disabled !== undefined || nth >= brokenAfterAttempts
  return {
    failingSince,
    brokenSince: before.brokenSince ?? (isBroken ? now : null),
    ...(disabled !== undefined && { disabledReason: disabled }),
  }
}

function whyDisabled(attempt: DeliveryAttempt, failingSince: Date, now: Date): string | undefined {
  if (attempt.status === gone) return 'It answered 410: it wants to hear no more.'
  if (now.getTime() - failingSince.getTime() < patienceMs) return undefined
  return `Nothing has arrived there since ${failingSince.toISOString()}.`
}

/**
 * Whether it tells that its own channel is broken. That goes to the owners by mail, and says nothing of how the channel
 * itself fares.
 */
export const tellsOwners = ({ channelId, recordId }: Pick<NotificationDeliveryRow, 'channelId' | 'recordId'>) =>
  recordId === channelId

/** Something that happened, as channels may be told of it. */
export type Event = {
  id: string
  /** The record that it is about: what is told of that comes in order. */
  recordId: string
  /** Null: it is of the organization, and in no project. */
  projectId: string | null
  environmentId: string | null
  payload: NotificationPayload
}

type Subscription = Pick<NotificationChannelRow, 'events' | 'minimumSeverity' | 'format'> & Surroundings
type Surroundings = Pick<NotificationChannelRow, 'projectId' | 'environmentIds' | 'toldSince'>

/** Whether a channel is to be told of it. */
export const isToldOf = (channel: Subscription, event: Event): boolean =>
  isWanted(channel, event.payload) && concerns(channel, event)

/**
 * Whether a channel asked for it, and its form has it; one that names no events asks for all that matter enough, but
 * for the audit log: who looks after channels may read less than that.
 */
function isWanted({ events, minimumSeverity, format }: Subscription, { type }: NotificationPayload): boolean {
  if (isOfChannel(type)) return false
  if (format === 'CDEVENTS' && !isCdEvent(type)) return false
  if ((events.length > 0 || type === auditType) && !events.includes(type)) return false
  return severities.indexOf(severityOf(type)) >= severities.indexOf(minimumSeverity)
}

/** Whether it resolves what a channel was told of the record, where alerts stand until they are: asked for or not. */
export const isResolvedBy = (channel: Pick<NotificationChannelRow, 'kind'> & Surroundings, event: Event): boolean =>
  channel.kind === 'PAGERDUTY' && resolves(event.payload.type) && concerns(channel, event)

/** What is in no environment, or no project, is not told where some are named. */
function concerns({ projectId, environmentIds, toldSince }: Surroundings, { payload, ...event }: Event): boolean {
  if (new Date(payload.timestamp) < toldSince) return false
  if (projectId !== null && projectId !== event.projectId) return false
  return environmentIds.length === 0 || (event.environmentId !== null && environmentIds.includes(event.environmentId))
}

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
