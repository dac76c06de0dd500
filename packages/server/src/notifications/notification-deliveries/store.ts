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
    /** Until when it is held back. */
    heldUntil?: Date | undefined
  }

const ofChannel = ({ organizationId, id }: Channel) =>
  and(eq(notificationDeliveries.organizationId, organizationId), eq(notificationDeliveries.channelId, id))

/** Adds deliveries in their order. What a channel was to be told already is not added again. */
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
        ...{ id: newId('ndl'), ...one, ...pending },
        ...{ nextAttemptAt: heldUntil ?? now, isHeldBack: heldUntil !== undefined },
      })),
    )
    .onConflictDoNothing()
    .returning()
  const atOnce = rows.filter(({ isHeldBack }) => !isHeldBack)
  const { channelId, recordId } = notificationDeliveries
  // What is told of a record comes in order: what waits of it comes before, now.
  const ofRecords = atOnce.map((row) => and(eq(channelId, row.channelId), eq(recordId, row.recordId)))
  if (atOnce.length > 0)
    await holdBackUntil(tx, and(eq(notificationDeliveries.organizationId, organizationId), or(...ofRecords)), now)
  return rows
}

/** Has what is held back of a channel wait until then: when it wants to be told is another now. */
export const postpone = (tx: Db, channel: Channel, until: Date): Promise<void> =>
  holdBackUntil(tx, ofChannel(channel), until)

async function holdBackUntil(tx: Db, which: SQL | undefined, until: Date): Promise<void> {
  await tx.update(notificationDeliveries).set({ nextAttemptAt: until }).where(and(which, isWaiting))
}

/** That it is held back, and is in no message yet. */
const isWaiting = and(
  eq(notificationDeliveries.status, 'PENDING'),
  eq(notificationDeliveries.isHeldBack, true),
  isNull(notificationDeliveries.digestId),
)

/** Those of them about records that their channel was told of before. */
export async function ofToldRecords<T extends Pick<NewDelivery, 'channelId' | 'recordId'>>(
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

/** What a channel was told, or is to be told, of events. */
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

/** Of a channel of the organization: what people were told is theirs. */
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

/** That it tells of no line of the audit log, which not everybody reads who sees channels. */
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

/** Gives up what a channel was still to be told; not what its owners are. */
export async function giveUp(tx: Db, channel: Channel): Promise<void> {
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

/** That a delivery is the next of its channel about its record. */
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

/** What is to be sent to a channel next, whenever that is; of one that is disabled, to its owners alone. */
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

/** So many are in one message at most; the others make another. */
const mostInDigest = 500

/**
 * Puts what was held back of a channel, and is due, into one message with a delivery; not what has to wait for
 * something else about its record. Another time, the message has the same in it.
 */
export async function gather(
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
    .limit(mostInDigest)
  await tx
    .update(notificationDeliveries)
    .set({ digestId })
    .where(and(ofChannel(channel), inArray(notificationDeliveries.id, due)))
}

/** What is still to be told in one message, in its order. */
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

/** Writes down what an attempt made of deliveries; what was given up meanwhile stays so. */
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

/** How long deliveries are kept. */
export const effectiveDays = 30

/** Forgets deliveries that are over and old; by their ids, which sort by time. */
export const forgetNotifications = (db: Db, now: Date): Promise<void> =>
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
