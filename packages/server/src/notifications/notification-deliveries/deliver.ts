import type { DeliveryAttempt } from '@sluice/contract'
import { serviceAuthor } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Message } from '../../platform/engine/messages.ts'
import {
  enabledChannels,
  loadChannel,
  lockReceiver,
  startProcessing,
  updateChannel,
  wakeChannels,
} from '../notification-channels/store.ts'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import { toChannel } from '../notification-channels/wake.ts'
import { noLongerVisible } from '../people/visibility.ts'
import { type AttemptParts, attempt, type CombinedDeliveries } from './attempt.ts'
import { afterAttempt, channelAfter, tellsOwners } from './machine.ts'
import { combineDigest, failPending, insertDeliveries, listDigest, nextDelivery, saveAttempt } from './store.ts'
import type { NotificationDeliveryRow } from './tables.ts'

/**
 * Sends a channel's next due delivery and returns the message for the following one. Each channel is processed
 * separately, so that a slow receiver delays no other.
 */
export async function deliver(parts: AttemptParts, id: string): Promise<Message[]> {
  const { db, clock } = parts
  const channel = await loadChannel(db, id)
  if (!channel) return []
  const next = await nextDelivery(db, channel)
  if (next && isDue(next, clock())) {
    // After a crash between sending and storing the result, it is sent again with the same id.
    const deliveries = await inOneMessage(db, channel, next, clock())
    const hidden = await noLongerVisible(db, channel, deliveries)
    if (hidden.length > 0) return db.transaction((tx) => leaveOut(tx, channel, hidden, clock()))
    const made = await attempt(parts, channel, deliveries)
    return db.transaction((tx) =>
      settle(tx, { channel, deliveries, made, sendsMail: parts.sendMail !== undefined, now: clock() }),
    )
  }
  return db.transaction((tx) => setWake(tx, channel, clock()))
}

/** Returns the delivery with those that were delayed together with it. */
async function inOneMessage(
  db: Db,
  channel: NotificationChannelRow,
  next: NotificationDeliveryRow,
  now: Date,
): Promise<CombinedDeliveries> {
  if (!next.isHeldBack) return [next]
  const digestId = next.digestId ?? next.id
  if (next.digestId === null) await combineDigest(db, channel, next, now)
  const [first, ...rest] = await listDigest(db, channel, digestId)
  return first ? [first, ...rest] : [next]
}

const isDue = ({ nextAttemptAt }: NotificationDeliveryRow, now: Date): boolean =>
  nextAttemptAt !== null && nextAttemptAt <= now

/** Discards deliveries that the member may no longer see, and continues with the rest. */
async function leaveOut(
  tx: Db,
  channel: NotificationChannelRow,
  hidden: readonly NotificationDeliveryRow[],
  now: Date,
): Promise<Message[]> {
  const error = 'The recipient can no longer see where it happened.'
  const attempts = [{ at: now.toISOString(), durationMs: 0, error }]
  const ids = hidden.map(({ id }) => id)
  await saveAttempt(tx, channel.organizationId, ids, { status: 'FAILED', attempts, nextAttemptAt: null })
  return setWake(tx, channel, now)
}

type Made = {
  channel: NotificationChannelRow
  deliveries: CombinedDeliveries
  made: DeliveryAttempt
  /** Whether the operator has configured mail. */
  sendsMail: boolean
  now: Date
}

/** Stores the result of an attempt for the delivery and its channel. */
async function settle(tx: Db, { channel: seen, deliveries, made, sendsMail, now }: Made): Promise<Message[]> {
  const { organizationId, id } = seen
  const [delivery] = deliveries
  const after = (before: NotificationChannelRow) =>
    channelAfter(before, { attempt: made, nth: delivery.attempts.length + 1 }, now)
  const isToOwners = tellsOwners(delivery)
  // Notifying the other channels locks them, which requires the position's lock first.
  if (!isToOwners && isShared(seen) && breaks(seen, after(seen))) await startProcessing(tx, organizationId)
  const channel = await lockReceiver(tx, organizationId, id)
  if (!channel) return []
  const ids = deliveries.map((one) => one.id)
  await saveAttempt(tx, organizationId, ids, afterAttempt(delivery, made, now))
  if (isToOwners || !channel.enabled) return setWake(tx, channel, now)
  const { disabledReason, ...health } = after(channel)
  if (isShared(channel) && breaks(channel, health))
    await recordDisabled(tx, channel, { disabledReason, sendsMail, now })
  if (disabledReason !== undefined) await disable(tx, channel, { ...health, disabledReason })
  else if (hasChanged(channel, health)) await updateChannel(tx, channel, health)
  return setWake(tx, channel, now)
}

/** Reports whether the channel belongs to the organization. Failing personal mail concerns no one else. */
const isShared = ({ membershipId }: NotificationChannelRow): boolean => membershipId === null

type Health = Pick<NotificationChannelRow, 'failingSince' | 'brokenSince'>

const breaks = (before: Health, after: Health): boolean => before.brokenSince === null && after.brokenSince !== null

const hasChanged = (before: Health, after: Health): boolean =>
  before.failingSince?.getTime() !== after.failingSince?.getTime() ||
  before.brokenSince?.getTime() !== after.brokenSince?.getTime()

/**
 * Notifies all other channels, regardless of their filters, and the owners by mail, because users of the broken channel
 * would not notice.
 */
async function recordDisabled(
  tx: Db,
  { organizationId, id, name }: NotificationChannelRow,
  { disabledReason, sendsMail, now }: { disabledReason: string | undefined; sendsMail: boolean; now: Date },
): Promise<void> {
  const message = `The channel ${name} is broken. ${disabledReason ?? 'Deliveries keep failing.'}`
  const data = { organizationId, channelId: id, message }
  const payload = { type: 'channel.broken', timestamp: now.toISOString(), data } as const
  const about = { eventId: `${id}.channel.broken.${now.getTime()}`, recordId: id, payload }
  // Team channels are excluded, because this concerns only the owners.
  const others = (await enabledChannels(tx, organizationId))
    .filter((other) => other.id !== id && other.kind !== 'TEAM_MEMBERS')
    .map((other) => other.id)
  // A delivery of the broken channel itself is sent to the owners by mail.
  const told = sendsMail ? [...others, id] : others
  await insertDeliveries(
    tx,
    organizationId,
    told.map((channelId) => ({ channelId, ...about })),
    now,
  )
  if (others.length > 0) await wakeChannels(tx, organizationId, others, now)
}

/** Disables a channel with a reason, which is also audited. */
async function disable(
  tx: Db,
  channel: NotificationChannelRow,
  reason: Health & { disabledReason: string },
): Promise<void> {
  await updateChannel(tx, channel, { ...reason, enabled: false })
  await failPending(tx, channel)
  const { membershipId } = channel
  await recordChange(tx, serviceAuthor(channel.organizationId), {
    ...(membershipId === null
      ? { action: 'notification-channels.disable', resourceType: 'notification-channel', resourceId: channel.id }
      : { action: 'notification-settings.disable', resourceType: 'membership', resourceId: membershipId }),
    details: { reason: reason.disabledReason },
  })
}

/** Sets the channel's next wake-up under its lock, which writers of deliveries also take. */
async function setWake(tx: Db, { organizationId, id }: NotificationChannelRow, now: Date): Promise<Message[]> {
  const channel = await lockReceiver(tx, organizationId, id)
  if (!channel) return []
  const next = await nextDelivery(tx, channel)
  await wakeChannels(tx, organizationId, [id], next?.nextAttemptAt ?? null)
  return next && isDue(next, now) ? [toChannel(id)] : []
}
