import type { Clock } from '../clock.ts'
import {
  type AnyPgColumn,
  and,
  asc,
  eq,
  gt,
  inArray,
  isNotNull,
  lt,
  or,
  type PgTable,
  type SQL,
  sql,
} from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { elapsed, now } from '../db/sweeps.ts'
import type { Message } from './messages.ts'

type SweepClock = Pick<Clock, 'now' | 'elapsedMs'>

/** A row whose wake-up is overdue, and the key of the engine's object that its message is for. */
export type OverdueRow = { id: string; key: string; wakeAt: Date }

/**
 * What must be sent again: for every row whose wake-up is overdue, the message that was lost. This is what makes the
 * engine's memory expendable: a message that was never sent (a crash after the commit) or that was lost (the engine's
 * data is gone) is sent from the row.
 */
export type Overdue = {
  /** A query that has a row when there is any; see `Sweep`. */
  due: SQL
  /** The engine's object that the messages are for. */
  service: string
  /**
   * Finds overdue rows, a page of the oldest after `after`. Changes nothing: a row that waits in the engine shows for
   * how long.
   */
  find(db: Db, clock: SweepClock, after?: OverdueRow): Promise<OverdueRow[]>
  /** Claims rows that are still overdue and returns their messages, so that no other process sends them as well. */
  claim(db: Db, clock: SweepClock, ids: readonly string[]): Promise<Message[]>
}

type WakingTable = PgTable & { id: AnyPgColumn; wakeAt: AnyPgColumn }

type OverdueIn<T extends WakingTable> = {
  service: string
  messagesOf: (rows: T['$inferSelect'][]) => Message[]
  /** The column with the key of the engine's object; the id without it. */
  key?: AnyPgColumn
  /** How long past its wake-up a row is left alone; 0 where nothing else ever sends its message. Real milliseconds. */
  graceMs?: number
  /** Which of the rows whose wake-up is overdue need a message; all of them without it. */
  where?: SQL
}

/** A busy engine is late, not forgetful. Real milliseconds. */
const usualGraceMs = 3_000
/** When a claimed row is looked at again if this message is lost as well: within once and twice as long. Real ms. */
const againMs = 15_000
/** So many rows are looked at in a round, and so many messages are sent: the engine gets no more in a second. */
export const maxFound = 2_000
const maxClaimed = 500

/** The messages of the rows of a table whose wake-up is overdue. */
export function overdueIn<T extends WakingTable>(
  table: T,
  { service, messagesOf, key = table.id, graceMs = usualGraceMs, where }: OverdueIn<T>,
): Overdue {
  const isDue = (before: Date | SQL) => and(isNotNull(table.wakeAt), lt(table.wakeAt, before), where)
  const dueAt = (clock: SweepClock) => isDue(new Date(clock.now().getTime() - clock.elapsedMs(graceMs)))
  return {
    due: sql`select 1 from ${table} where ${isDue(sql`${now} - ${elapsed(graceMs)}`)}`,
    service,
    async find(db, clock, after) {
      const isLater =
        after && or(gt(table.wakeAt, after.wakeAt), and(eq(table.wakeAt, after.wakeAt), gt(table.id, after.id)))
      const rows = await db
        .select({ id: table.id, key, wakeAt: table.wakeAt })
        .from(table as PgTable)
        .where(and(dueAt(clock), isLater))
        .orderBy(asc(table.wakeAt), asc(table.id))
        .limit(maxFound)
      return rows as OverdueRow[]
    },
    async claim(db, clock, ids) {
      const claimed = db
        .select({ id: table.id })
        .from(table as PgTable)
        .where(and(inArray(table.id, ids.slice(0, maxClaimed)), dueAt(clock)))
        .for('update', { skipLocked: true })
      const at = clock.now().toISOString()
      const jitter = sql`make_interval(secs => ${clock.elapsedMs(againMs) / 1_000} * (1 + random()))`
      const rows = await db
        .update(table as PgTable)
        .set({ wakeAt: sql`${at}::timestamptz + ${jitter}` })
        .where(inArray(table.id, claimed))
        .returning()
      return messagesOf(rows)
    },
  }
}
