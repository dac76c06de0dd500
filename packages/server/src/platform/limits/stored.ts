import { type SQLChunk, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { rowCounts } from '../db/tables.ts'
import { type LimitValues, limitTable } from './table.ts'

/** Column that each limit of stored bytes counts. Triggers maintain the sum of its bytes (`keep_bytes_of`). */
const columns = {
  storedLogBytes: 'step_log_chunks.text',
  storedStateBytes: 'iac_state_versions.sealed',
  storedPlanBytes: 'iac_plans.sealed',
  storedArtifactBytes: 'step_artifact_pieces.sealed',
} as const

export type StoredLimit = keyof typeof columns

/**
 * Returns the SQL for the bytes that an organization has stored. It reads a few rows, whatever the size of the table.
 */
export const storedBytesOf = (organizationId: SQLChunk, name: StoredLimit) => sql<number>`(
  select coalesce(sum(${rowCounts.rowCount}), 0) from ${rowCounts}
  where ${rowCounts.organizationId} = ${organizationId} and ${rowCounts.tableName} = ${sql.raw(`'${columns[name]}'`)}
)`

/** Returns how many stored bytes of an organization count towards a limit. */
export async function usedBytes(db: Db, organizationId: string, name: StoredLimit): Promise<number> {
  const bytes = storedBytesOf(sql`${organizationId}`, name).mapWith(Number)
  const [total] = await db.select({ bytes }).from(sql`(select) as one`)
  return total?.bytes ?? 0
}

/** Storage limit that is reached, with the error message and the remedy. */
export type ReachedStorageLimit = { limit: StoredLimit; most: number; message: string; remedy: string }

/** Returns the first of these limits that an organization has reached, or undefined. */
export async function findReachedStorageLimit(
  mosts: LimitValues,
  db: Db,
  organizationId: string,
  names: readonly StoredLimit[],
): Promise<ReachedStorageLimit | undefined> {
  for (const limit of names) {
    const most = mosts[limit]
    if (most === undefined) continue
    const stored = await usedBytes(db, organizationId, limit)
    if (stored >= most) return fullAt(limit, most, stored)
  }
  return undefined
}

function fullAt(limit: StoredLimit, most: number, stored: number): ReachedStorageLimit {
  const { unit, remedy } = limitTable[limit]
  const message = `The limit ${limit} is reached: the organization has ${stored} ${unit}, and may have ${most}.`
  return { limit, most, message, remedy }
}

/**
 * Factor by which work in progress may exceed the storage limit. New work is rejected at the limit itself. An apply
 * that could not store its state would lose track of what it has created.
 */
const reserveFactor = 2

/** Returns the bytes that work in progress may still store, and the error for when that is too little. */
export async function findRoom(
  mosts: LimitValues,
  db: Db,
  organizationId: string,
  limit: StoredLimit,
): Promise<{ bytes: number; full: ReachedStorageLimit } | undefined> {
  const most = mosts[limit]
  if (most === undefined) return undefined
  const stored = await usedBytes(db, organizationId, limit)
  return { bytes: Math.max(0, reserveFactor * most - stored), full: fullAt(limit, most, stored) }
}
