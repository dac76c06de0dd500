import { serviceAuthor } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, lte, ne, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { locationOf } from './location.ts'
import { type Retention, retentionReasonsOf } from './needs.ts'
import { type ArtifactRow, artifacts } from './tables.ts'

/** Location and digest of an artifact. */
type ArtifactLocation = Pick<ArtifactRow, 'bucket' | 'key' | 'digest'>

const isAt = ({ bucket, key, digest }: ArtifactLocation) =>
  and(eq(artifacts.bucket, bucket), eq(artifacts.key, key), eq(artifacts.digest, digest))
const isOf = (organizationId: string) => eq(artifacts.organizationId, organizationId)
const isComplete = and(isNull(artifacts.removedAt), isNull(artifacts.removalBeganAt))
const isDue = (now: Date) => or(isNull(artifacts.removalTryAt), lte(artifacts.removalTryAt, now))
const isOld = (since: Date) =>
  and(lt(artifacts.createdAt, since), or(isNull(artifacts.takenAt), lt(artifacts.takenAt, since)))

/** Returns a page of artifacts that are old enough for removal and not waiting for a retry, after an id. */
export function listOld(
  db: Db,
  organizationId: string,
  { since, now, after, most }: { since: Date; now: Date; after: string; most: number },
): Promise<ArtifactRow[]> {
  return db
    .select()
    .from(artifacts)
    .where(and(isOf(organizationId), gt(artifacts.id, after), isComplete, isOld(since), isDue(now)))
    .orderBy(asc(artifacts.id))
    .limit(most)
}

/** Returns unfinished removals that are due. */
export function listBegun(db: Db, organizationId: string, now: Date, most: number): Promise<ArtifactRow[]> {
  const { removalBeganAt, removedAt, removalTryAt } = artifacts
  return db
    .select()
    .from(artifacts)
    .where(and(isOf(organizationId), isNotNull(removalBeganAt), isNull(removedAt), lte(removalTryAt, now)))
    .orderBy(asc(artifacts.id))
    .limit(most)
}

/**
 * Reports whether another organization has an artifact at the same location: a bucket or account may be connected
 * twice.
 */
export async function isSharedLocation(
  db: Db,
  { organizationId, bucket, key, digest, kind }: ArtifactRow,
): Promise<boolean> {
  const [row] = await db
    .select({ id: artifacts.id })
    .from(artifacts)
    .where(
      and(
        eq(artifacts.bucket, bucket),
        eq(artifacts.key, key),
        ne(artifacts.organizationId, organizationId),
        isNull(artifacts.removedAt),
        kind === 'image' ? eq(artifacts.digest, digest) : undefined,
      ),
    )
    .limit(1)
  return row !== undefined
}

/**
 * Starts to remove the artifacts that nothing references now, and returns them. From then on they cannot be released or
 * reused. Locks the rows before it reads the references, because a concurrent release holds such a lock until it is
 * visible.
 */
export function beginRemovals(
  db: Db,
  organizationId: string,
  wanted: readonly ArtifactLocation[],
  { retention, reason, now, tryAt }: { retention: Retention; reason: string; now: Date; tryAt: Date },
): Promise<ArtifactRow[]> {
  return db.transaction(async (tx) => {
    // Locks all records of the same locations in one order, to avoid deadlocks.
    const all = await tx
      .select({ id: artifacts.id })
      .from(artifacts)
      .where(and(isOf(organizationId), isNull(artifacts.removedAt), or(...wanted.map(isAt))))
      .orderBy(asc(artifacts.id))
      .for('no key update')
    const held = all.map(({ id }) => id)
    if (held.length === 0) return []
    const needs = await retentionReasonsOf(tx, organizationId, retention)
    const rows = await tx
      .select()
      .from(artifacts)
      .where(and(isOf(organizationId), inArray(artifacts.id, held), isComplete))
    const unneeded = rows.filter((row) => needs.keeping(row) === undefined).map(({ id }) => id)
    if (unneeded.length === 0) return []
    return tx
      .update(artifacts)
      .set({ removalBeganAt: now, removalReason: reason, removalTryAt: tryAt, updatedAt: sql`now()` })
      .where(and(isOf(organizationId), inArray(artifacts.id, unneeded)))
      .returning()
  })
}

const notBeingRemoved = {
  removalBeganAt: null,
  removalReason: null,
  removalError: null,
  removalTryAt: null,
  removalFailures: 0,
}

/** Cancels removals that have not deleted anything, so that the artifacts can be released again. */
export async function cancelRemovals(db: Db, organizationId: string, rows: readonly ArtifactRow[]): Promise<void> {
  const ids = rows.map(({ id }) => id)
  await db
    .update(artifacts)
    .set({ ...notBeingRemoved, updatedAt: sql`now()` })
    .where(and(isOf(organizationId), inArray(artifacts.id, ids), isNull(artifacts.removedAt)))
}

/** Records that an artifact is deleted, for all records of its location. */
export async function recordRemoved(db: Db, rows: readonly ArtifactRow[], now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { organizationId, id } of rows) {
      const [gone] = await tx
        .update(artifacts)
        .set({ removedAt: now, removalError: null, removalTryAt: null, updatedAt: sql`now()` })
        .where(and(isOf(organizationId), eq(artifacts.id, id), isNull(artifacts.removedAt)))
        .returning()
      // Otherwise another process has recorded it.
      if (gone) await recordChange(tx, serviceAuthor(organizationId), removalOf(gone))
    }
  })
}

const removalOf = (row: ArtifactRow) => {
  const { id, moduleInstanceId, digest, removalReason: reason } = row
  const details = { moduleInstanceId, digest, location: locationOf(row), reason }
  return { action: 'artifacts.remove', resourceType: 'artifact', resourceId: id, details }
}

/** Records why an artifact could not be deleted. If it is complete, it can be released until the retry. */
export async function recordRemovalFailure(
  db: Db,
  rows: readonly ArtifactRow[],
  { message, isComplete, tryAt }: { message: string; isComplete: boolean; tryAt: Date },
): Promise<void> {
  for (const { organizationId, id } of rows) {
    await db
      .update(artifacts)
      .set({
        removalError: message.slice(0, maxMessageLength),
        removalFailures: sql`${artifacts.removalFailures} + 1`,
        removalTryAt: tryAt,
        ...(isComplete && { removalBeganAt: null }),
        updatedAt: sql`now()`,
      })
      .where(and(isOf(organizationId), eq(artifacts.id, id), isNull(artifacts.removedAt)))
  }
}

/** Maximum length of a stored error message, in characters. */
const maxMessageLength = 1_000

/**
 * Reserves a location for a build that reuses or publishes an artifact, which delays its removal. Returns whether an
 * artifact there is being removed, or was.
 */
export async function reserveLocation(
  db: Db,
  organizationId: string,
  spot: ArtifactLocation,
  now: Date,
): Promise<'whole' | 'being-removed' | 'removed'> {
  const rows = await db
    .update(artifacts)
    .set({ takenAt: now })
    .where(and(isOf(organizationId), isAt(spot)))
    .returning({ began: artifacts.removalBeganAt, removed: artifacts.removedAt })
  if (rows.some(({ began, removed }) => began !== null && removed === null)) return 'being-removed'
  return rows.some(({ removed }) => removed !== null) ? 'removed' : 'whole'
}
