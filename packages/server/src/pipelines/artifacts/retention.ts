import { defaultArtifactRetention, type SetArtifactRetention } from '@sluice/contract'
import { and, asc, eq, inArray, isNotNull, isNull, lte, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { type ArtifactRetentionRow, artifactRetentions, artifacts } from './tables.ts'

/** Retention settings of an organization; by default, nothing is removed. */
export type RetentionSettings = Pick<ArtifactRetentionRow, 'isEnabled' | 'keepDays' | 'keepLatest'>

export async function findRetention(
  db: Db,
  organizationId: string,
): Promise<RetentionSettings & { wakeAt: Date | null }> {
  const [row] = await db.select().from(artifactRetentions).where(eq(artifactRetentions.organizationId, organizationId))
  return row ?? { isEnabled: false, ...defaultArtifactRetention, wakeAt: null }
}

/** Updates the retention settings, effective from `wakeAt`. Returns the settings before and after. */
export async function setRetention(
  tx: Db,
  organizationId: string,
  { isEnabled, keepDays, keepLatest }: SetArtifactRetention,
  wakeAt: Date,
): Promise<{ before: RetentionSettings; row: ArtifactRetentionRow }> {
  const { wakeAt: _, isEnabled: wasEnabled, ...known } = await findRetention(tx, organizationId)
  const wish = { isEnabled, keepDays: keepDays ?? known.keepDays, keepLatest: keepLatest ?? known.keepLatest }
  // Also if it is disabled, because started removals must be finished.
  const set = { ...wish, wakeAt }
  const [row] = await tx
    .insert(artifactRetentions)
    .values({ id: newId('artr'), organizationId, ...set })
    .onConflictDoUpdate({ target: artifactRetentions.organizationId, set: { ...set, updatedAt: sql`now()` } })
    .returning()
  if (!row) throw new Error('the retention was not stored')
  return { before: { isEnabled: wasEnabled, keepDays: known.keepDays, keepLatest: known.keepLatest }, row }
}

/** Returns the number of an organization's artifacts whose last removal failed. */
export async function countFailedRemovals(db: Db, organizationId: string): Promise<number> {
  const [row] = await db
    .select({ refused: sql`count(*)`.mapWith(Number) })
    .from(artifacts)
    .where(and(isWaiting(organizationId), isNotNull(artifacts.removalError)))
  return row?.refused ?? 0
}

const isWaiting = (organizationId: string) =>
  and(eq(artifacts.organizationId, organizationId), isNotNull(artifacts.removalTryAt))

/** Returns the next organization whose artifacts are due for removal, and leases it to one process until `until`. */
export async function leaseRetention(db: Db, now: Date, until: Date): Promise<ArtifactRetentionRow | undefined> {
  const due = db
    .select({ id: artifactRetentions.id })
    .from(artifactRetentions)
    .where(lte(artifactRetentions.wakeAt, now))
    .orderBy(asc(artifactRetentions.wakeAt))
    .limit(1)
    .for('update', { skipLocked: true })
  const [claimed] = await db
    .update(artifactRetentions)
    .set({ wakeAt: until })
    .where(inArray(artifactRetentions.id, due))
    .returning()
  return claimed
}

const isClaim = ({ id, wakeAt }: ArtifactRetentionRow) =>
  and(
    eq(artifactRetentions.id, id),
    wakeAt === null ? isNull(artifactRetentions.wakeAt) : eq(artifactRetentions.wakeAt, wakeAt),
  )

/** Reports whether the lease is valid and the settings have not changed since. */
export async function isLeaseValid(db: Db, claimed: ArtifactRetentionRow): Promise<boolean> {
  const rows = await db.select({ id: artifactRetentions.id }).from(artifactRetentions).where(isClaim(claimed))
  return rows.length > 0
}

/** Ends a lease, unless the settings have changed since. */
export async function endLease(db: Db, claimed: ArtifactRetentionRow, wakeAt: Date | null): Promise<void> {
  await db.update(artifactRetentions).set({ wakeAt }).where(isClaim(claimed))
}

/** Returns when the first failed or incomplete removal is due for a retry. */
export async function nextRetryAt(db: Db, organizationId: string): Promise<Date | null> {
  const [row] = await db
    .select({ at: artifacts.removalTryAt })
    .from(artifacts)
    .where(isWaiting(organizationId))
    .orderBy(asc(artifacts.removalTryAt))
    .limit(1)
  return row?.at ?? null
}
