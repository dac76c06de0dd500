import { deployments } from '../../delivery/deployments/store/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, eq, inArray, isNotNull, isNull, lt, ne, or, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { type GitReleaseRow, gitReleases } from './tables.ts'
import { gitReleaseMessages, gitReleaseService } from './wake.ts'

/** SQL condition that the current status differs from the last reported one; a queued release has none to report. */
const isUnreported: SQL = sql`(${deployments.status} <> 'PENDING' and ${gitReleases.toldStatus} is distinct from
  case when ${gitReleases.isReplaced} then 'REPLACED' else ${deployments.status} end)`

/** Finds unreported releases and returns their messages. */
export const dueGitReleases = overdueIn(gitReleases, {
  service: gitReleaseService,
  key: gitReleases.environmentId,
  messagesOf: gitReleaseMessages,
  graceMs: 0,
  where: sql`exists (select 1 from ${deployments} where ${eq(deployments.id, gitReleases.id)} and ${isUnreported})`,
})

/** Loads an unreported release for the engine's handler, by environment id. */
export async function findUnreported(db: Db, environmentId: string, id: string) {
  const [found] = await db
    .select({
      row: gitReleases,
      deployment: deployments,
      environment: environments,
      project: projects,
      instance: { givenId: moduleInstances.givenId, name: moduleInstances.name },
    })
    .from(gitReleases)
    .innerJoin(deployments, eq(deployments.id, gitReleases.id))
    .innerJoin(environments, eq(environments.id, deployments.environmentId))
    .innerJoin(projects, eq(projects.id, deployments.projectId))
    .innerJoin(moduleInstances, eq(moduleInstances.id, deployments.moduleInstanceId))
    .where(
      and(
        eq(gitReleases.environmentId, environmentId),
        eq(gitReleases.id, id),
        isNotNull(gitReleases.wakeAt),
        isUnreported,
      ),
    )
  return found
}

export type UnreportedRelease = NonNullable<Awaited<ReturnType<typeof findUnreported>>>

/** Returns the status of a release and locks it until the end of the transaction; undefined if it was deleted. */
export async function lockStatus(tx: Db, { row: { organizationId, id } }: Pick<UnreportedRelease, 'row'>) {
  const [found] = await tx
    .select({ status: deployments.status })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), eq(deployments.id, id)))
    .for('share')
  return found?.status
}

/**
 * Returns whether a release was replaced and locks that until the end of the transaction; undefined if it was deleted.
 */
export async function lockReplacement(tx: Db, { organizationId, id }: Pick<GitReleaseRow, 'organizationId' | 'id'>) {
  const [found] = await tx
    .select({ isReplaced: gitReleases.isReplaced })
    .from(gitReleases)
    .where(and(eq(gitReleases.organizationId, organizationId), eq(gitReleases.id, id)))
    .for('update')
  return found?.isReplaced
}

/** Stores what is known about a release, and the result of its report. */
export async function saveRelease(
  db: Db,
  { organizationId, id }: Pick<GitReleaseRow, 'organizationId' | 'id'>,
  changes: Partial<Omit<GitReleaseRow, 'id' | 'organizationId' | 'createdAt' | 'updatedAt'>>,
): Promise<void> {
  await db
    .update(gitReleases)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(and(eq(gitReleases.organizationId, organizationId), eq(gitReleases.id, id)))
}

/** Lease duration in milliseconds: longer than the requests of one call take, each with a timeout of 10 s. */
const leaseMs = 120_000

/**
 * Leases the creation of the host's record of a release. Returns the row; undefined if another call has the lease or
 * has created the record. A lease of a crashed call expires.
 */
export async function leaseCreation(
  db: Db,
  { organizationId, id }: Pick<GitReleaseRow, 'organizationId' | 'id'>,
  now: Date,
): Promise<GitReleaseRow | undefined> {
  const isFree = or(isNull(gitReleases.claimedUntil), lt(gitReleases.claimedUntil, now))
  const [row] = await db
    .update(gitReleases)
    .set({ claimedUntil: new Date(now.getTime() + leaseMs) })
    .where(
      and(eq(gitReleases.organizationId, organizationId), eq(gitReleases.id, id), isNull(gitReleases.hostId), isFree),
    )
    .returning()
  return row
}

/** Releases the lease, unless it has expired and another call has one. */
export async function endLease(db: Db, { organizationId, id, claimedUntil }: GitReleaseRow): Promise<void> {
  if (claimedUntil === null) return
  await db
    .update(gitReleases)
    .set({ claimedUntil: null })
    .where(
      and(
        eq(gitReleases.organizationId, organizationId),
        eq(gitReleases.id, id),
        eq(gitReleases.claimedUntil, claimedUntil),
      ),
    )
}

/** Reports whether enough of a lease is left for a request that starts now. */
export const isLeaseLongEnough = ({ claimedUntil }: Pick<GitReleaseRow, 'claimedUntil'>, now: Date): boolean =>
  claimedUntil !== null && claimedUntil.getTime() - now.getTime() > leaseMs / 4

/** Reports all releases of a deleted environment as inactive. */
export async function retireReleases(tx: Db, organizationId: string, environmentId: string, now: Date): Promise<void> {
  await tx
    .update(gitReleases)
    .set({ isReplaced: true, wakeAt: now, failures: 0 })
    .where(
      and(
        eq(gitReleases.organizationId, organizationId),
        eq(gitReleases.environmentId, environmentId),
        eq(gitReleases.isReplaced, false),
        isNotNull(gitReleases.hostId),
      ),
    )
}

/** Reports whether releases of an environment are still to be reported. */
export async function hasUnreported(tx: Db, organizationId: string, environmentId: string): Promise<boolean> {
  const rows = await tx
    .select({ id: gitReleases.id })
    .from(gitReleases)
    .innerJoin(deployments, eq(deployments.id, gitReleases.id))
    .where(
      and(
        eq(gitReleases.organizationId, organizationId),
        eq(gitReleases.environmentId, environmentId),
        isNotNull(gitReleases.hostId),
        isNotNull(gitReleases.wakeAt),
        isUnreported,
      ),
    )
    .limit(1)
  return rows.length > 0
}

/** Returns which of the host's ids belong to other releases of the repository. */
export async function takenIds(
  db: Db,
  { organizationId, id }: GitReleaseRow,
  codeSourceId: string,
  hostIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (hostIds.length === 0) return new Set()
  const rows = await db
    .select({ hostId: gitReleases.hostId })
    .from(gitReleases)
    .where(
      and(
        eq(gitReleases.organizationId, organizationId),
        eq(gitReleases.codeSourceId, codeSourceId),
        inArray(gitReleases.hostId, [...hostIds]),
        ne(gitReleases.id, id),
      ),
    )
  return new Set(rows.flatMap(({ hostId }) => hostId ?? []))
}

/** Reports the instance's earlier releases as replaced by this one, as far as the host knows them. */
export async function replaceEarlier(
  tx: Db,
  { deployment }: Pick<UnreportedRelease, 'deployment'>,
  now: Date,
): Promise<void> {
  const { organizationId, moduleInstanceId, completedAt } = deployment
  if (completedAt === null) return
  const earlier = tx
    .select({ id: deployments.id })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        eq(deployments.moduleInstanceId, moduleInstanceId),
        eq(deployments.status, 'SUCCESS'),
        lt(deployments.completedAt, completedAt),
      ),
    )
  await tx
    .update(gitReleases)
    .set({ isReplaced: true, wakeAt: now, failures: 0 })
    .where(
      and(
        eq(gitReleases.organizationId, organizationId),
        eq(gitReleases.isReplaced, false),
        // A release that the host rejected is not reported again; one that is still to be reported is.
        or(isNotNull(gitReleases.hostId), isNotNull(gitReleases.wakeAt)),
        inArray(gitReleases.id, earlier),
      ),
    )
}
