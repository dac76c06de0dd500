import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { type PeriodicTask, startPeriodicTask } from '../rounds.ts'
import { type SQL, sql } from './drizzle.ts'
import type { Db } from './open.ts'
import { prepared } from './prepared.ts'

/** Periodic work for due rows of all organizations. */
export type Sweep = {
  /** Name of the work, for the log. */
  what: string
  /** Query that returns a row if there is work, by an index. The time is `now`, never `now()`. */
  due: SQL
  sweep(): Promise<unknown>
}

type SweepParts = { db: Db; clock: Pick<Clock, 'now' | 'speed'>; log: Logger; sweeps: readonly Sweep[] }

/** Time placeholder in queries for due work. */
export const now: SQL = sql`${sql.placeholder('now')}::timestamptz`

/** Returns how far the service's clock moves in this many real milliseconds, as an interval. */
export const elapsed = (realMs: number): SQL =>
  sql`interval '${sql.raw(`${realMs}`)} milliseconds' * ${sql.placeholder('speed')}::float8`

/**
 * Starts checking every `everyMs` of real time for due work, until stopped. Without any, the usual case, it costs one
 * statement for all sweeps.
 */
export function startSweeps({ db, clock, log, sweeps }: SweepParts, everyMs = 1_000): PeriodicTask {
  const question = askOf(sweeps)
  const round = async () => {
    const due = await question(db).execute({ now: clock.now().toISOString(), speed: clock.speed })
    await Promise.all(due.map(({ position }) => sweeps[position]).map((one) => one && attempt(one, log)))
  }
  return startPeriodicTask(round, {
    everyMs,
    onError: (err) => log.warn({ err }, 'it is not certain what is due; soon again'),
  })
}

/** Runs one sweep. A failure does not affect the others, and the work stays due. */
const attempt = ({ what, sweep }: Sweep, log: Logger) =>
  sweep().catch((err) => log.warn({ err, what }, 'what is due could not be done; soon again'))

function askOf(sweeps: readonly Sweep[]) {
  const each = sweeps.map(
    ({ due }, position) => sql`select ${sql.raw(`${position}`)} as position where exists (${due})`,
  )
  const all = sql`(${sql.join(each, sql` union all `)}) as due`
  return prepared((db) => db.select({ position: sql<number>`due.position` }).from(all).prepare('due'))
}
