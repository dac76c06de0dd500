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

/** Row with an overdue wake-up, and the key of the durable object for its message. */
export type OverdueRow = { id: string; key: string; wakeAt: Date }

/**
 * Source of lost messages: for every row with an overdue wake-up, the message to send again. It makes the engine's data
 * expendable: messages that were never sent (after a crash) or lost (with the engine's data) are sent from the rows.
 */
export type OverdueSource = {
  /** Query that returns a row if there are any; see `Sweep`. */
  due: SQL
  /** Durable object that receives the messages. */
  service: string
  /** Finds overdue rows, a page of the oldest after `after`. Changes nothing. */
  find(db: Db, clock: SweepClock, after?: OverdueRow): Promise<OverdueRow[]>
  /** Claims rows that are still overdue and returns their messages, so that no other process sends them. */
  claim(db: Db, clock: SweepClock, ids: readonly string[]): Promise<Message[]>
}

type WakingTable = PgTable & { id: AnyPgColumn; wakeAt: AnyPgColumn }

type OverdueIn<T extends WakingTable> = {
  service: string
  messagesOf: (rows: T['$inferSelect'][]) => Message[]
  /** Column with the key of the durable object. Defaults to the ID. */
  key?: AnyPgColumn
  /** Time after a wake-up before its message is sent again, in real milliseconds; 0 if nothing else sends it. */
  graceMs?: number
  /** Condition of rows that need a message. Defaults to all overdue rows. */
  where?: SQL
}

/** Default time after a wake-up, in real milliseconds, because a busy engine is late. */
const usualGraceMs = 3_000
/**
 * Time until a claimed row is overdue again if this message is lost too, in real milliseconds: once to twice as long.
 */
const againMs = 15_000
/** Maximum number of rows per check, and of messages per second. */
export const maxFound = 2_000
const maxClaimed = 500

/** Returns the source of messages for the overdue rows of a table. */
export function overdueIn<T extends WakingTable>(
  table: T,
  { service, messagesOf, key = table.id, graceMs = usualGraceMs, where }: OverdueIn<T>,
): OverdueSource {
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
