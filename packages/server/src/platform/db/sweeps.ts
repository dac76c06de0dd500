import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { type Rounds, startRounds } from '../rounds.ts'
import { type SQL, sql } from './drizzle.ts'
import type { Db } from './open.ts'
import { prepared } from './prepared.ts'

/** Work that rows of all organizations ask for when their time has come. */
export type Sweep = {
  /** What is done, for the log. */
  what: string
  /** A query that has a row when there is something to do; an index answers it. The time is `now`, never `now()`. */
  due: SQL
  sweep(): Promise<unknown>
}

type SweepParts = { db: Db; clock: Pick<Clock, 'now' | 'speed'>; log: Logger; sweeps: readonly Sweep[] }

/** The time, in what asks whether something is due. */
export const now: SQL = sql`${sql.placeholder('now')}::timestamptz`

/** How far the service's clock moves while so many milliseconds pass in reality, as an interval. */
export const elapsed = (realMs: number): SQL =>
  sql`interval '${sql.raw(`${realMs}`)} milliseconds' * ${sql.placeholder('speed')}::float8`

/**
 * Asks every `everyMs` of real time until stopped what is due, and does it. That nothing is, the usual answer, costs
 * one statement for all of them.
 */
export function startSweeps({ db, clock, log, sweeps }: SweepParts, everyMs = 1_000): Rounds {
  const question = askOf(sweeps)
  const round = async () => {
    const due = await question(db).execute({ now: clock.now().toISOString(), speed: clock.speed })
    await Promise.all(due.map(({ position }) => sweeps[position]).map((one) => one && attempt(one, log)))
  }
  return startRounds(round, {
    everyMs,
    onError: (err) => log.warn({ err }, 'it is not certain what is due; soon again'),
  })
}

/** A failure of one is none of the others; it is still due in the next round. */
const attempt = ({ what, sweep }: Sweep, log: Logger) =>
  sweep().catch((err) => log.warn({ err, what }, 'what is due could not be done; soon again'))

function askOf(sweeps: readonly Sweep[]) {
  const each = sweeps.map(
    ({ due }, position) => sql`select ${sql.raw(`${position}`)} as position where exists (${due})`,
  )
  const all = sql`(${sql.join(each, sql` union all `)}) as due`
  return prepared((db) => db.select({ position: sql<number>`due.position` }).from(all).prepare('due'))
}
