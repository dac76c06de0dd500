import { sql } from './drizzle.ts'
import type { Db } from './open.ts'

/** How far a clock is ahead of the database's, and by how much that may be wrong. Milliseconds. */
export type ClockOffset = { offsetMs: number; errorMs: number }

/** Measures the offset of a clock. The database is taken to have answered in the middle of the round trip. */
export async function measureClockOffset(db: Db, now: () => Date): Promise<ClockOffset> {
  const askedAt = now().getTime()
  const { rows } = (await db.execute(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as "databaseMs"`,
  )) as unknown as { rows: [{ databaseMs: number }] }
  const answeredAt = now().getTime()
  return { offsetMs: (askedAt + answeredAt) / 2 - rows[0].databaseMs, errorMs: (answeredAt - askedAt) / 2 }
}

/**
 * The largest offset with which a worker accepts work. Leases of runners last 30 s and are extended every 5 s, and the
 * engine's signatures are valid for a minute: both hold with 10 s to either side.
 */
export const maxClockOffsetMs = 10_000

/** Whether an offset is within the limit; undefined where the measurement is too inexact to say. */
export function isWithinLimit({ offsetMs, errorMs }: ClockOffset): boolean | undefined {
  if (Math.abs(offsetMs) + errorMs <= maxClockOffsetMs) return true
  return Math.abs(offsetMs) - errorMs > maxClockOffsetMs ? false : undefined
}
