import type { Change, ChangingResource } from '@sluice/contract'
import { and, asc, gte, inArray, lt, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Position } from './position.ts'
import { changes } from './tables.ts'

/** Change with its transaction and organization. */
export type NotedChange = Change & { organizationId: string; transactionId: bigint }

/**
 * Returns the changes of transactions from `since` on in these organizations, and the position below which none can
 * follow. Transactions get numbers at their start and become visible at their end, so that changes are out of order;
 * below the oldest active transaction they are complete.
 */
export async function readChanges(
  db: Db,
  since: bigint,
  organizationIds: readonly string[],
): Promise<{ position: Position; noted: NotedChange[] }> {
  const position = await currentPosition(db) // read before the rows: a change may be seen twice but is never missed
  const rows = await db
    .select()
    .from(changes)
    .where(and(gte(changes.transactionId, since), inArray(changes.organizationId, [...organizationIds])))
    .orderBy(asc(changes.transactionId))
  return { position, noted: rows.map(toNoted) }
}

const toNoted = ({ resource, recordId, changedAt, ...row }: typeof changes.$inferSelect): NotedChange => ({
  ...row,
  resource: resource as ChangingResource, // only migrations write resource names
  id: recordId,
  changedAt: changedAt.toISOString(),
})

/** Returns the current position in the stream of changes. Uses the database's clock, so that all processes agree. */
export async function currentPosition(db: Db): Promise<Position> {
  const { rows } = (await db.execute(sql`
    select pg_snapshot_xmin(pg_current_snapshot())::text as id, floor(extract(epoch from now()) * 1000)::text as ms
  `)) as unknown as { rows: [{ id: string; ms: string }] }
  const [{ id, ms }] = rows
  return { transactionId: BigInt(id), atMs: Number(ms) }
}

/**
 * Retention of changes in milliseconds: twice `resumableMs`, because a change is recorded before its transaction ends.
 */
const retentionMs = 10 * 60_000

/** Deletes changes that no client can request again. */
export async function deleteOldChanges(db: Db, now: Date): Promise<void> {
  await db.delete(changes).where(lt(changes.changedAt, new Date(now.getTime() - retentionMs)))
}
