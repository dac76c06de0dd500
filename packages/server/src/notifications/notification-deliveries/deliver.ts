import type { DeliveryAttempt } from '@sluice/contract'
import { theService } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { loadChannel, lockChannel, updateChannel, wakeChannels } from '../notification-channels/store.ts'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import { toChannel } from '../notification-channels/wake.ts'
import { type AttemptParts, attempt } from './attempt.ts'
import { afterAttempt, channelAfter } from './machine.ts'
import { giveUp, nextDelivery, saveAttempt } from './store.ts'
import type { NotificationDeliveryRow } from './tables.ts'

/**
 * Sends what is due to a channel next, and goes on while something is. One at a time: a receiver that is slow or dead
 * keeps nobody waiting but itself.
 */
export async function deliver(parts: AttemptParts, id: string): Promise<Message[]> {
  const { db, clock } = parts
  const channel = await loadChannel(db, id)
  if (!channel) return []
  const next = channel.enabled ? await nextDelivery(db, channel) : undefined
  if (next && isDue(next, clock())) {
    // It may be sent and not written down, if we die now: then it is sent again under the same id.
    const made = await attempt(parts, channel, next)
    return db.transaction((tx) => settle(tx, { channel, delivery: next, made, now: clock() }))
  }
  return db.transaction((tx) => setWake(tx, channel, clock()))
}

const isDue = ({ nextAttemptAt }: NotificationDeliveryRow, now: Date): boolean =>
  nextAttemptAt !== null && nextAttemptAt <= now

type Made = { channel: NotificationChannelRow; delivery: NotificationDeliveryRow; made: DeliveryAttempt; now: Date }

/** Writes down what came of an attempt, for the delivery and its channel. */
async function settle(tx: Db, { channel: { organizationId, id }, delivery, made, now }: Made): Promise<Message[]> {
  const channel = await lockChannel(tx, organizationId, id)
  if (!channel) return []
  await saveAttempt(tx, delivery, afterAttempt(delivery, made, now))
  if (!channel.enabled) return []
  const { failingSince, disabledReason } = channelAfter(channel, made, now)
  if (disabledReason !== undefined) {
    await disable(tx, channel, { failingSince, disabledReason })
    return []
  }
  if (failingSince?.getTime() !== channel.failingSince?.getTime()) await updateChannel(tx, channel, { failingSince })
  return setWake(tx, channel, now)
}

/** Whoever owns the channel sees why in it and in the audit log. */
async function disable(
  tx: Db,
  channel: NotificationChannelRow,
  reason: { failingSince: Date | null; disabledReason: string },
): Promise<void> {
  await updateChannel(tx, channel, { ...reason, enabled: false, wakeAt: null })
  await giveUp(tx, channel)
  await recordChange(tx, theService(channel.organizationId), {
    action: 'notification-channels.disable',
    resourceType: 'notification-channel',
    resourceId: channel.id,
    details: { reason: reason.disabledReason },
  })
}

/** Under the lock of the channel: who adds a delivery wakes it under the same, so that none is overlooked. */
async function setWake(tx: Db, { organizationId, id }: NotificationChannelRow, now: Date): Promise<Message[]> {
  const channel = await lockChannel(tx, organizationId, id)
  if (!channel) return []
  const next = channel.enabled ? await nextDelivery(tx, channel) : undefined
  await wakeChannels(tx, organizationId, [id], next?.nextAttemptAt ?? null)
  return next && isDue(next, now) ? [toChannel(id)] : []
}
