import { auditType, type NotificationDelivery } from '@sluice/contract'
import {
  alias,
  and,
  asc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  notExists,
  or,
  type SQL,
  sql,
} from '../../platform/db/drizzle.ts'
import { batchSize, daysBefore, inBatches } from '../../platform/db/forgetting.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { firstIdAt, newId } from '../../platform/ids.ts'
import { type NotificationChannelRow, notificationChannels } from '../notification-channels/tables.ts'
import type { AfterAttempt } from './machine.ts'
import { type NotificationDeliveryRow, notificationDeliveries } from './tables.ts'

type Channel = Pick<NotificationChannelRow, 'organizationId' | 'id'>
type Switched = Channel & Pick<NotificationChannelRow, 'enabled'>
type NewDelivery = Pick<NotificationDeliveryRow, 'channelId' | 'eventId' | 'recordId' | 'payload'> &
  Partial<Pick<NotificationDeliveryRow, 'id' | 'resendOf'>> & {
    /** Time until which the delivery is delayed. */
    heldUntil?: Date | undefined
  }

const ofChannel = ({ organizationId, id }: Channel) =>
  and(eq(notificationDeliveries.organizationId, organizationId), eq(notificationDeliveries.channelId, id))

/** Inserts deliveries in order, skipping events for which the channel already has one. */
export async function insertDeliveries(
  tx: Db,
  organizationId: string,
  deliveries: NewDelivery[],
  now: Date,
): Promise<NotificationDeliveryRow[]> {
  if (deliveries.length === 0) return []
  const pending = { organizationId, status: 'PENDING' } as const
  const rows = await tx
    .insert(notificationDeliveries)
    .values(
      deliveries.map(({ heldUntil, ...one }) => ({
        id: newId('ndl'),
        ...one,
        ...pending,
        nextAttemptAt: heldUntil ?? now,
        isHeldBack: heldUntil !== undefined,
      })),
    )
    .onConflictDoNothing()
    .returning()
  const atOnce = rows.filter(({ isHeldBack }) => !isHeldBack)
  const { channelId, recordId } = notificationDeliveries
  // Notifications about a record are sent in order, so delayed ones about the same record are sent now.
  const ofRecords = atOnce.map((row) => and(eq(channelId, row.channelId), eq(recordId, row.recordId)))
  if (atOnce.length > 0)
    await delayUntil(tx, and(eq(notificationDeliveries.organizationId, organizationId), or(...ofRecords)), now)
  return rows
}

/** Moves the delayed deliveries of a channel to another time, after its settings changed. */
export const postpone = (tx: Db, channel: Channel, until: Date): Promise<void> =>
  delayUntil(tx, ofChannel(channel), until)

async function delayUntil(tx: Db, which: SQL | undefined, until: Date): Promise<void> {
  await tx.update(notificationDeliveries).set({ nextAttemptAt: until }).where(and(which, isWaiting))
}

/** Selects delayed deliveries that are not part of a message yet. */
const isWaiting = and(
  eq(notificationDeliveries.status, 'PENDING'),
  eq(notificationDeliveries.isHeldBack, true),
  isNull(notificationDeliveries.digestId),
)

/** Returns the deliveries whose channel has had earlier ones about the same record. */
export async function filterFollowUpDeliveries<T extends Pick<NewDelivery, 'channelId' | 'recordId'>>(
  db: Db,
  organizationId: string,
  deliveries: T[],
): Promise<T[]> {
  if (deliveries.length === 0) return []
  const { channelId, recordId } = notificationDeliveries
  const told = await db
    .selectDistinct({ channelId, recordId })
    .from(notificationDeliveries)
    .where(
      and(
        eq(notificationDeliveries.organizationId, organizationId),
        inArray(channelId, [...new Set(deliveries.map((one) => one.channelId))]),
        inArray(recordId, [...new Set(deliveries.map((one) => one.recordId))]),
      ),
    )
  return deliveries.filter((one) =>
    told.some((other) => other.channelId === one.channelId && other.recordId === one.recordId),
  )
}

/** Returns a channel's deliveries of these events. */
export async function deliveriesOfEvents(
  tx: Db,
  channel: Channel,
  eventIds: readonly string[],
): Promise<Pick<NotificationDeliveryRow, 'id' | 'eventId' | 'status' | 'resendOf'>[]> {
  const { id, eventId, status, resendOf } = notificationDeliveries
  return tx
    .select({ id, eventId, status, resendOf })
    .from(notificationDeliveries)
    .where(and(ofChannel(channel), inArray(eventId, [...eventIds])))
}

/** Finds a delivery of an organization's channel. Personal mail is excluded. */
export async function findDelivery(
  db: Db,
  organizationId: string,
  id: string,
): Promise<NotificationDeliveryRow | undefined> {
  const channels = db
    .select({ id: notificationChannels.id })
    .from(notificationChannels)
    .where(and(eq(notificationChannels.organizationId, organizationId), isNull(notificationChannels.membershipId)))
  const [row] = await db
    .select()
    .from(notificationDeliveries)
    .where(
      and(
        eq(notificationDeliveries.organizationId, organizationId),
        eq(notificationDeliveries.id, id),
        inArray(notificationDeliveries.channelId, channels),
      ),
    )
  return row
}

/** Excludes deliveries of audit events, which not all users of channels can read. */
const isNoLine = sql`${notificationDeliveries.payload} ->> 'type' <> ${auditType}`

export const listDeliveries = (
  db: Db,
  channel: Channel,
  { status, withLines }: { status: NotificationDelivery['status'] | undefined; withLines: boolean },
  page: PageBounds,
): Promise<PageRows<NotificationDeliveryRow>> =>
  selectPage(
    db,
    notificationDeliveries,
    and(
      ofChannel(channel),
      status === undefined ? undefined : eq(notificationDeliveries.status, status),
      withLines ? undefined : isNoLine,
    ),
    page,
  )

/** Fails the pending deliveries of a channel, except those to its owners. */
export async function failPending(tx: Db, channel: Channel): Promise<void> {
  await tx
    .update(notificationDeliveries)
    .set({ status: 'FAILED', nextAttemptAt: null, updatedAt: sql`now()` })
    .where(
      and(
        ofChannel(channel),
        eq(notificationDeliveries.status, 'PENDING'),
        ne(notificationDeliveries.recordId, channel.id),
      ),
    )
}

const earlier = alias(notificationDeliveries, 'earlier')

/** Selects the first pending delivery per channel and record. */
const isNext = (db: Db) =>
  notExists(
    db
      .select({ one: sql`1` })
      .from(earlier)
      .where(
        and(
          eq(earlier.channelId, notificationDeliveries.channelId),
          eq(earlier.recordId, notificationDeliveries.recordId),
          eq(earlier.status, 'PENDING'),
          lt(earlier.sequence, notificationDeliveries.sequence),
        ),
      ),
  )

/** Returns a channel's next delivery, due or not. For a disabled channel, only those to its owners. */
export async function nextDelivery(db: Db, channel: Switched): Promise<NotificationDeliveryRow | undefined> {
  const [row] = await db
    .select()
    .from(notificationDeliveries)
    .where(
      and(
        ofChannel(channel),
        channel.enabled ? undefined : eq(notificationDeliveries.recordId, channel.id),
        eq(notificationDeliveries.status, 'PENDING'),
        isNext(db),
      ),
    )
    .orderBy(asc(notificationDeliveries.nextAttemptAt), asc(notificationDeliveries.sequence))
    .limit(1)
  return row
}

/** Maximum number of deliveries per message. */
const maxInDigest = 500

/**
 * Combines a channel's due delayed deliveries into one message, except those behind another about the same record.
 * Stores the combination, so that a retry sends the same message.
 */
export async function combineDigest(
  tx: Db,
  channel: Channel,
  { id: digestId }: Pick<NotificationDeliveryRow, 'id'>,
  now: Date,
): Promise<void> {
  const isEarlierElsewhere = and(
    eq(earlier.channelId, notificationDeliveries.channelId),
    eq(earlier.recordId, notificationDeliveries.recordId),
    eq(earlier.status, 'PENDING'),
    lt(earlier.sequence, notificationDeliveries.sequence),
    or(eq(earlier.isHeldBack, false), isNotNull(earlier.digestId), gt(earlier.nextAttemptAt, now)),
  )
  const due = tx
    .select({ id: notificationDeliveries.id })
    .from(notificationDeliveries)
    .where(
      and(
        ofChannel(channel),
        isWaiting,
        lte(notificationDeliveries.nextAttemptAt, now),
        notExists(tx.select({ one: sql`1` }).from(earlier).where(isEarlierElsewhere)),
      ),
    )
    .orderBy(asc(notificationDeliveries.nextAttemptAt), asc(notificationDeliveries.sequence))
    .limit(maxInDigest)
  await tx
    .update(notificationDeliveries)
    .set({ digestId })
    .where(and(ofChannel(channel), inArray(notificationDeliveries.id, due)))
}

/** Returns the pending deliveries of a message, in order. */
export const listDigest = (db: Db, channel: Channel, digestId: string): Promise<NotificationDeliveryRow[]> =>
  db
    .select()
    .from(notificationDeliveries)
    .where(
      and(
        ofChannel(channel),
        eq(notificationDeliveries.digestId, digestId),
        eq(notificationDeliveries.status, 'PENDING'),
      ),
    )
    .orderBy(asc(notificationDeliveries.sequence))

/** Stores the result of an attempt. Deliveries discarded meanwhile stay failed. */
export async function saveAttempt(tx: Db, organizationId: string, ids: string[], after: AfterAttempt): Promise<void> {
  await tx
    .update(notificationDeliveries)
    .set({ ...after, updatedAt: sql`now()` })
    .where(
      and(
        eq(notificationDeliveries.organizationId, organizationId),
        inArray(notificationDeliveries.id, ids),
        eq(notificationDeliveries.status, 'PENDING'),
      ),
    )
}

/** Retention of deliveries, in days. */
export const effectiveDays = 30

/** Deletes old, completed deliveries, by their ids, which sort by time. */
export const deleteOldNotifications = (db: Db, now: Date): Promise<void> =>
  inBatches(async () => {
    const { id, status } = notificationDeliveries
    const old = db
      .select({ id })
      .from(notificationDeliveries)
      .where(and(lt(id, firstIdAt('ndl', daysBefore(now, effectiveDays))), ne(status, 'PENDING')))
      .orderBy(asc(id))
      .limit(batchSize)
    const removed = await db.delete(notificationDeliveries).where(inArray(id, old)).returning({ id })
    return removed.length
  })
