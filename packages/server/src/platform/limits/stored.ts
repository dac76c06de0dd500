import { type SQLChunk, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { rowCounts } from '../db/tables.ts'
import { limitTable, type Mosts } from './table.ts'

/** The column that each limit of stored bytes is about: triggers keep the sum of its bytes (`keep_bytes_of`). */
const columns = {
  storedLogBytes: 'step_log_chunks.text',
  storedStateBytes: 'iac_state_versions.sealed',
  storedPlanBytes: 'iac_plans.sealed',
} as const

export type StoredLimit = keyof typeof columns

/** How many bytes an organization has there, within a statement. Reads a few rows, however large the table is. */
export const storedBytesOf = (organizationId: SQLChunk, name: StoredLimit) => sql<number>`(
  select coalesce(sum(${rowCounts.rowCount}), 0) from ${rowCounts}
  where ${rowCounts.organizationId} = ${organizationId} and ${rowCounts.tableName} = ${sql.raw(`'${columns[name]}'`)}
)`

/** The same by itself. */
export async function usedBytes(db: Db, organizationId: string, name: StoredLimit): Promise<number> {
  const bytes = storedBytesOf(sql`${organizationId}`, name).mapWith(Number)
  const [total] = await db.select({ bytes }).from(sql`(select) as one`)
  return total?.bytes ?? 0
}

/** A limit that is reached, in words for people. */
export type FullStore = { limit: StoredLimit; most: number; message: string; remedy: string }

/** The first of these limits that an organization has reached; undefined where there is room everywhere. */
export async function fullStore(
  mosts: Mosts,
  db: Db,
  organizationId: string,
  names: readonly StoredLimit[],
): Promise<FullStore | undefined> {
  for (const limit of names) {
    const most = mosts[limit]
    if (most === undefined) continue
    const stored = await usedBytes(db, organizationId, limit)
    if (stored >= most) return fullAt(limit, most, stored)
  }
  return undefined
}

function fullAt(limit: StoredLimit, most: number, stored: number): FullStore {
  const { unit, remedy } = limitTable[limit]
  const message = `The limit ${limit} is reached: the organization has ${stored} ${unit}, and may have ${most}.`
  return { limit, most, message, remedy }
}

/**
 * Beyond the limit nothing new begins. What has begun may store as much again: an apply that could not would lose the
 * state of what it has made.
 */
const reserveFactor = 2

/** Returns how many bytes may still be stored by what has begun, and what to say where that is too little. */
export async function findRoom(
  mosts: Mosts,
  db: Db,
  organizationId: string,
  limit: StoredLimit,
): Promise<{ bytes: number; full: FullStore } | undefined> {
  const most = mosts[limit]
  if (most === undefined) return undefined
  const stored = await usedBytes(db, organizationId, limit)
  return { bytes: Math.max(0, reserveFactor * most - stored), full: fullAt(limit, most, stored) }
}
