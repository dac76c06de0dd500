import { deployments } from '../../delivery/deployments/store/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, eq, inArray, isNotNull, isNull, lt, ne, or, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { type GitReleaseRow, gitReleases } from './tables.ts'
import { gitReleaseMessages, gitReleaseService } from './wake.ts'

/** What there is to tell is not what was told last; of one that waits for its turn there is nothing yet. */
const isUntold: SQL = sql`(${deployments.status} <> 'PENDING' and ${gitReleases.toldStatus} is distinct from
  case when ${gitReleases.isReplaced} then 'REPLACED' else ${deployments.status} end)`

/** The messages for what hosts have not been told yet. */
export const dueGitReleases = overdueIn(gitReleases, {
  service: gitReleaseService,
  key: gitReleases.environmentId,
  messagesOf: gitReleaseMessages,
  graceMs: 0,
  where: sql`exists (select 1 from ${deployments} where ${eq(deployments.id, gitReleases.id)} and ${isUntold})`,
})

/** What there is to tell of a release, for the engine's handler, whose key is the environment. */
export async function findUntold(db: Db, environmentId: string, id: string) {
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
        isUntold,
      ),
    )
  return found
}

export type Untold = NonNullable<Awaited<ReturnType<typeof findUntold>>>

/** How a release stands, which stays so until the transaction ends; undefined where it is gone. */
export async function lockStatus(tx: Db, { row: { organizationId, id } }: Pick<Untold, 'row'>) {
  const [found] = await tx
    .select({ status: deployments.status })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), eq(deployments.id, id)))
    .for('share')
  return found?.status
}

/** Whether it runs no more, which stays so until the transaction ends; undefined where it is gone. */
export async function lockReplaced(tx: Db, { organizationId, id }: Pick<GitReleaseRow, 'organizationId' | 'id'>) {
  const [found] = await tx
    .select({ isReplaced: gitReleases.isReplaced })
    .from(gitReleases)
    .where(and(eq(gitReleases.organizationId, organizationId), eq(gitReleases.id, id)))
    .for('update')
  return found?.isReplaced
}

/** Writes down what is known of a release, and how telling of it went. */
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

/** For longer than the requests of one call take, each of which ends after 10 s. Milliseconds. */
const claimMs = 120_000

/**
 * Takes it on to have the host make its record of a release; what was known of it before, or undefined where another
 * call is at it, or was. One that died is waited for.
 */
export async function claimMaking(
  db: Db,
  { organizationId, id }: Pick<GitReleaseRow, 'organizationId' | 'id'>,
  now: Date,
): Promise<GitReleaseRow | undefined> {
  const isFree = or(isNull(gitReleases.claimedUntil), lt(gitReleases.claimedUntil, now))
  const [row] = await db
    .update(gitReleases)
    .set({ claimedUntil: new Date(now.getTime() + claimMs) })
    .where(
      and(eq(gitReleases.organizationId, organizationId), eq(gitReleases.id, id), isNull(gitReleases.hostId), isFree),
    )
    .returning()
  return row
}

/** Lets others have the host make it, unless the claim is over and another call has one. */
export async function endClaim(db: Db, { organizationId, id, claimedUntil }: GitReleaseRow): Promise<void> {
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

/** Whether so much is left of a claim that a request which begins now ends within it. */
export const isClaimed = ({ claimedUntil }: Pick<GitReleaseRow, 'claimedUntil'>, now: Date): boolean =>
  claimedUntil !== null && claimedUntil.getTime() - now.getTime() > claimMs / 4

/** Has hosts told that nothing runs any more of what they know of an environment that goes. */
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

/** Whether hosts are still to be told of releases that were in an environment. */
export async function hasUntold(tx: Db, organizationId: string, environmentId: string): Promise<boolean> {
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
        isUntold,
      ),
    )
    .limit(1)
  return rows.length > 0
}

/** Those of the host's ids that stand for other releases of the repository. */
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

/** Has hosts told that this release took the place of what ran of the instance before, as far as they know that. */
export async function replaceEarlier(tx: Db, { deployment }: Pick<Untold, 'deployment'>, now: Date): Promise<void> {
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
        // What the host was to be told and refused, it is not told again; what it is still to be told, it is.
        or(isNotNull(gitReleases.hostId), isNotNull(gitReleases.wakeAt)),
        inArray(gitReleases.id, earlier),
      ),
    )
}
