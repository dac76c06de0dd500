import type { Clock } from '../clock.ts'
import { type AnyPgColumn, and, asc, inArray, isNotNull, lt, type PgTable, type SQL, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { elapsed, now } from '../db/sweeps.ts'
import type { Message } from './messages.ts'

/**
 * What must be sent again: for every row whose wake-up is overdue, the message that was lost. This is what makes the
 * engine's memory expendable: a message that was never sent (a crash after the commit) or that was lost (the engine's
 * data is gone) is sent from the row.
 */
export type Overdue = {
  /** A query that has a row when there is any; see `Sweep`. */
  due: SQL
  /** The messages, so that no other process sends them as well. */
  claim(db: Db, clock: Pick<Clock, 'now' | 'elapsedMs'>): Promise<Message[]>
}

type WakingTable = PgTable & { id: AnyPgColumn; wakeAt: AnyPgColumn }

/** How long past its wake-up a row is left alone: a busy engine is late, not forgetful. Real milliseconds. */
const usualGraceMs = 3_000
/** When a claimed row is looked at again if this message is lost as well. Real milliseconds. */
const againMs = 15_000
const most = 500

/** The messages of the rows of a table whose wake-up is overdue: at once where nothing else ever sends them. */
export function overdueIn<T extends WakingTable>(
  table: T,
  toMessage: (row: T['$inferSelect']) => Message,
  graceMs = usualGraceMs,
): Overdue {
  const before = sql`${now} - ${elapsed(graceMs)}`
  return {
    due: sql`select 1 from ${table} where ${and(isNotNull(table.wakeAt), lt(table.wakeAt, before))}`,
    async claim(db, clock) {
      const nowMs = clock.now().getTime()
      const before = new Date(nowMs - clock.elapsedMs(graceMs))
      const again = new Date(nowMs + clock.elapsedMs(againMs))
      return (await claimOverdue(db, table, { before, again })).map(toMessage)
    },
  }
}

/**
 * Rows whose wake-up is overdue: their message was lost, with the engine's memory or in a crash. Claiming moves the
 * wake-up on to `again`, so that several processes do not send the same one.
 */
async function claimOverdue<T extends WakingTable>(
  db: Db,
  table: T,
  { before, again }: { before: Date; again: Date },
): Promise<T['$inferSelect'][]> {
  const due = db
    .select({ id: table.id })
    .from(table as PgTable)
    .where(and(isNotNull(table.wakeAt), lt(table.wakeAt, before)))
    .orderBy(asc(table.wakeAt))
    .limit(most)
    .for('update', { skipLocked: true })
  return db
    .update(table as PgTable)
    .set({ wakeAt: again })
    .where(inArray(table.id, due))
    .returning()
}
