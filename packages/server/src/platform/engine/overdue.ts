import { type AnyPgColumn, and, asc, inArray, isNotNull, lt, type PgTable } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'

type WakingTable = PgTable & { id: AnyPgColumn; wakeAt: AnyPgColumn }

/** How long past its wake-up a row is left alone: a busy engine is late, not forgetful. Milliseconds. */
const graceMs = 3_000
/** When a claimed row is looked at again if this message is lost as well. Milliseconds. */
const againMs = 15_000
const most = 500

/**
 * Rows whose wake-up is overdue: their message was lost, with the engine's memory or in a crash. Claiming moves the
 * wake-up on, so that several processes do not send the same one.
 */
export async function claimOverdue<T extends WakingTable>(db: Db, table: T, now: Date): Promise<T['$inferSelect'][]> {
  const due = db
    .select({ id: table.id })
    .from(table as PgTable)
    .where(and(isNotNull(table.wakeAt), lt(table.wakeAt, new Date(now.getTime() - graceMs))))
    .orderBy(asc(table.wakeAt))
    .limit(most)
    .for('update', { skipLocked: true })
  return db
    .update(table as PgTable)
    .set({ wakeAt: new Date(now.getTime() + againMs) })
    .where(inArray(table.id, due))
    .returning()
}
