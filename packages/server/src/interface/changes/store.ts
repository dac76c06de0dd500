import type { Change, ChangingResource } from '@sluice/contract'
import { and, asc, gte, inArray, lt, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Position } from './position.ts'
import { changes } from './tables.ts'

/** A change with the transaction that made it, and whose it is. */
export type NotedChange = Change & { organizationId: string; transactionId: bigint }

/**
 * The changes that transactions from `since` on have made in these organizations, and the place below which no more can
 * come. Transactions are numbered as they begin and seen as they end, so rows may come out of order; but below the
 * oldest transaction that still runs, all has come out.
 */
export async function readChanges(
  db: Db,
  since: bigint,
  organizationIds: readonly string[],
): Promise<{ position: Position; noted: NotedChange[] }> {
  const position = await presentPosition(db) // before the rows: better seen twice than not at all
  const rows = await db
    .select()
    .from(changes)
    .where(and(gte(changes.transactionId, since), inArray(changes.organizationId, [...organizationIds])))
    .orderBy(asc(changes.transactionId))
  return { position, noted: rows.map(toNoted) }
}

const toNoted = ({ resource, recordId, changedAt, ...row }: typeof changes.$inferSelect): NotedChange => ({
  ...row,
  resource: resource as ChangingResource, // only migrations name them
  id: recordId,
  changedAt: changedAt.toISOString(),
})

/** Where the stream of changes stands. The moment is the database's, so that all processes mean the same by it. */
export async function presentPosition(db: Db): Promise<Position> {
  const { rows } = (await db.execute(sql`
    select pg_snapshot_xmin(pg_current_snapshot())::text as id, floor(extract(epoch from now()) * 1000)::text as ms
  `)) as unknown as { rows: [{ id: string; ms: string }] }
  const [{ id, ms }] = rows
  return { transactionId: BigInt(id), atMs: Number(ms) }
}

/** Twice as long as a client may be away (`resumableMs`): a change is noted before its transaction ends. */
const keptMs = 10 * 60_000

/** Forgets what nobody can ask for again. */
export async function forgetChanges(db: Db, now: Date): Promise<void> {
  await db.delete(changes).where(lt(changes.changedAt, new Date(now.getTime() - keptMs)))
}
