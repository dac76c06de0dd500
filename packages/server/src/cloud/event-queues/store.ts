import type { UserFacingError } from '@sluice/contract'
import type { Clock } from '../../platform/clock.ts'
import { and, eq, isNull, lt, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import type { CloudAccount } from '../adapter/access.ts'
import { connectionOf } from '../cloud-accounts/connection.ts'
import { cloudAccounts } from '../cloud-accounts/tables.ts'
import { type EventQueueRow, eventQueues } from './tables.ts'

const one = (organizationId: string, cloudAccountId: string) =>
  and(eq(eventQueues.organizationId, organizationId), eq(eventQueues.cloudAccountId, cloudAccountId))

/** From now on events are fetched from this queue; from none with null. */
export async function setEventQueue(
  tx: Db,
  organizationId: string,
  cloudAccountId: string,
  queueArn: string | null,
): Promise<void> {
  const present = await findEventQueue(tx, organizationId, cloudAccountId)
  if (present?.queueArn === queueArn) return
  await tx.delete(eventQueues).where(one(organizationId, cloudAccountId))
  if (queueArn === null) return
  await tx.insert(eventQueues).values({ id: newId('evq'), organizationId, cloudAccountId, queueArn })
}

export async function findEventQueue(
  db: Db,
  organizationId: string,
  cloudAccountId: string,
): Promise<EventQueueRow | undefined> {
  const [row] = await db.select().from(eventQueues).where(one(organizationId, cloudAccountId))
  return row
}

/** How long a process may fetch from a queue without saying so again. Real milliseconds. */
const leaseMs = 30_000

/** Takes the queues that no other process fetches from, and keeps those that are this one's already. */
export async function leaseQueues(db: Db, holder: string, clock: Pick<Clock, 'now' | 'elapsedMs'>): Promise<string[]> {
  const now = clock.now()
  const leasedUntil = new Date(now.getTime() + clock.elapsedMs(leaseMs))
  const isFree = or(isNull(eventQueues.leasedBy), eq(eventQueues.leasedBy, holder), lt(eventQueues.leasedUntil, now))
  const rows = await db
    .update(eventQueues)
    .set({ leasedBy: holder, leasedUntil })
    .where(isFree)
    .returning({ id: eventQueues.id })
  return rows.map(({ id }) => id)
}

/** Lets others fetch at once. */
export async function releaseQueues(db: Db, holder: string): Promise<void> {
  await db.update(eventQueues).set({ leasedBy: null, leasedUntil: null }).where(eq(eventQueues.leasedBy, holder))
}

export type QueueToPoll = EventQueueRow & { account: CloudAccount | undefined; accountNumber: string | null }

/** A queue with the way into its account, for whoever fetches: the read that names no organization. */
export async function loadQueueToPoll(db: Db, id: string): Promise<QueueToPoll | undefined> {
  const [found] = await db
    .select()
    .from(eventQueues)
    .innerJoin(cloudAccounts, eq(cloudAccounts.id, eventQueues.cloudAccountId))
    .where(eq(eventQueues.id, id))
  if (!found) return undefined
  const { event_queues: queue, cloud_accounts: account } = found
  return { ...queue, account: connectionOf(account), accountNumber: account.cloudId }
}

/** Writes down how fetching went. */
export async function notePolled(db: Db, id: string, error: UserFacingError | null): Promise<void> {
  const polled = error === null ? { lastPolledAt: sql`now()` } : {}
  await db
    .update(eventQueues)
    .set({ error, ...polled })
    .where(eq(eventQueues.id, id))
}
