import { sql } from './drizzle.ts'
import type { Db } from './open.ts'

/** How far a clock is ahead of the database's, with the maximum error, in milliseconds. */
export type ClockOffset = { offsetMs: number; errorMs: number }

/** Measures the offset of a clock. Assumes that the database responded in the middle of the round trip. */
export async function measureClockOffset(db: Db, now: () => Date): Promise<ClockOffset> {
  const askedAt = now().getTime()
  const { rows } = (await db.execute(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as "databaseMs"`,
  )) as unknown as { rows: [{ databaseMs: number }] }
  const answeredAt = now().getTime()
  return { offsetMs: (askedAt + answeredAt) / 2 - rows[0].databaseMs, errorMs: (answeredAt - askedAt) / 2 }
}

/**
 * Maximum offset with which a worker accepts work, in milliseconds. Leases of runners last 30 s and are extended every
 * 5 s, and the engine's signatures are valid for a minute: both tolerate 10 s in either direction.
 */
export const maxClockOffsetMs = 10_000

/** Reports whether an offset is within the limit; undefined if the measurement is too inexact. */
export function isWithinLimit({ offsetMs, errorMs }: ClockOffset): boolean | undefined {
  if (Math.abs(offsetMs) + errorMs <= maxClockOffsetMs) return true
  return Math.abs(offsetMs) - errorMs > maxClockOffsetMs ? false : undefined
}
