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

/** Sets the queue from which the account's events are polled, or removes it if null. */
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

/** Lease of a process on a queue, in real milliseconds. */
const leaseMs = 30_000

/** Leases the queues that no other process holds and renews the caller's leases. Returns their ids. */
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

/** Releases the holder's leases, so that other processes can poll at once. */
export async function releaseQueues(db: Db, holder: string): Promise<void> {
  await db.update(eventQueues).set({ leasedBy: null, leasedUntil: null }).where(eq(eventQueues.leasedBy, holder))
}

export type QueueToPoll = EventQueueRow & { account: CloudAccount | undefined; accountNumber: string | null }

/** Loads a queue and access to its account for the poller. This is the one query that is not scoped by organization. */
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

/** Records the result of a poll. */
export async function savePolled(db: Db, id: string, error: UserFacingError | null): Promise<void> {
  const polled = error === null ? { lastPolledAt: sql`now()` } : {}
  await db
    .update(eventQueues)
    .set({ error, ...polled })
    .where(eq(eventQueues.id, id))
}
