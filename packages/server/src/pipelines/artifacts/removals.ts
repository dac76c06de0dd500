import { theService } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, lte, ne, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { locationOf } from './location.ts'
import { needsOf, type Retention } from './needs.ts'
import { type ArtifactRow, artifacts } from './tables.ts'

/** Where something is, and what. */
type Spot = Pick<ArtifactRow, 'bucket' | 'key' | 'digest'>

const isAt = ({ bucket, key, digest }: Spot) =>
  and(eq(artifacts.bucket, bucket), eq(artifacts.key, key), eq(artifacts.digest, digest))
const isOf = (organizationId: string) => eq(artifacts.organizationId, organizationId)
const isComplete = and(isNull(artifacts.removedAt), isNull(artifacts.removalBeganAt))
const isDue = (now: Date) => or(isNull(artifacts.removalTryAt), lte(artifacts.removalTryAt, now))
const isOld = (since: Date) =>
  and(lt(artifacts.createdAt, since), or(isNull(artifacts.takenAt), lt(artifacts.takenAt, since)))

/** A page of the artifacts that are old enough to go and not about to be tried again, after one. */
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

/** Removals that were begun and have not come to their end, where it is time to go on. */
export function listBegun(db: Db, organizationId: string, now: Date, most: number): Promise<ArtifactRow[]> {
  const { removalBeganAt, removedAt, removalTryAt } = artifacts
  return db
    .select()
    .from(artifacts)
    .where(and(isOf(organizationId), isNotNull(removalBeganAt), isNull(removedAt), lte(removalTryAt, now)))
    .orderBy(asc(artifacts.id))
    .limit(most)
}

/** Whether another organization has something at the same place: buckets and accounts may be connected twice. */
export async function isOthersToo(
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
 * Begins to remove those of the artifacts that nothing needs now; which these are. From then on whoever would release
 * or take one is refused. Rows are had first and needs looked at after that: who is about to release one of them holds
 * it, and can be seen once it is let go.
 */
export function beginRemovals(
  db: Db,
  organizationId: string,
  wanted: readonly Spot[],
  { retention, reason, now, tryAt }: { retention: Retention; reason: string; now: Date; tryAt: Date },
): Promise<ArtifactRow[]> {
  return db.transaction(async (tx) => {
    // With every record of the same places, in one order, so that nobody waits for somebody who waits for them.
    const all = await tx
      .select({ id: artifacts.id })
      .from(artifacts)
      .where(and(isOf(organizationId), isNull(artifacts.removedAt), or(...wanted.map(isAt))))
      .orderBy(asc(artifacts.id))
      .for('no key update')
    const held = all.map(({ id }) => id)
    if (held.length === 0) return []
    const needs = await needsOf(tx, organizationId, retention)
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

const asNever = {
  removalBeganAt: null,
  removalReason: null,
  removalError: null,
  removalTryAt: null,
  removalFailures: 0,
}

/** Lets artifacts be released again that were begun and not touched. */
export async function keep(db: Db, organizationId: string, rows: readonly ArtifactRow[]): Promise<void> {
  const ids = rows.map(({ id }) => id)
  await db
    .update(artifacts)
    .set({ ...asNever, updatedAt: sql`now()` })
    .where(and(isOf(organizationId), inArray(artifacts.id, ids), isNull(artifacts.removedAt)))
}

/** Writes down that all of an artifact is gone, which several records may be of; they stay. */
export async function noteRemoved(db: Db, rows: readonly ArtifactRow[], now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { organizationId, id } of rows) {
      const [gone] = await tx
        .update(artifacts)
        .set({ removedAt: now, removalError: null, removalTryAt: null, updatedAt: sql`now()` })
        .where(and(isOf(organizationId), eq(artifacts.id, id), isNull(artifacts.removedAt)))
        .returning()
      if (gone) await recordChange(tx, theService(organizationId), removalOf(gone)) // else another process has
    }
  })
}

const removalOf = (row: ArtifactRow) => {
  const { id, moduleInstanceId, digest, removalReason: reason } = row
  const details = { moduleInstanceId, digest, location: locationOf(row), reason }
  return { action: 'artifacts.remove', resourceType: 'artifact', resourceId: id, details }
}

/** Notes why an artifact could not be removed. Where nothing of it is gone, it may be released meanwhile. */
export async function noteTrouble(
  db: Db,
  rows: readonly ArtifactRow[],
  { message, isComplete, tryAt }: { message: string; isComplete: boolean; tryAt: Date },
): Promise<void> {
  for (const { organizationId, id } of rows) {
    await db
      .update(artifacts)
      .set({
        removalError: message.slice(0, longestMessage),
        removalFailures: sql`${artifacts.removalFailures} + 1`,
        removalTryAt: tryAt,
        ...(isComplete && { removalBeganAt: null }),
        updatedAt: sql`now()`,
      })
      .where(and(isOf(organizationId), eq(artifacts.id, id), isNull(artifacts.removedAt)))
  }
}

/** So much of what the cloud says is kept. Characters. */
const longestMessage = 1_000

/**
 * Has what is at a place to itself, for a build that takes it or publishes there: no removal begins soon after. Whether
 * anything there is being removed, or was.
 */
export async function takePlace(
  db: Db,
  organizationId: string,
  spot: Spot,
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
