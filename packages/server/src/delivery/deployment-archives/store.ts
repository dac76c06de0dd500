import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { projects } from '../../projects/projects/tables.ts'
import type { KeptData } from '../deployments/execution/state.ts'
import { deployments } from '../deployments/store/tables.ts'
import { type DeploymentArchiveRow, deploymentArchives } from './tables.ts'

/** What is long in the data of a deployment, and is read only where the deployment itself is shown. */
export type LongData = Partial<KeptData>

/** A deployment with what is long in it. */
export type Archived = { id: string; data: LongData }

export type ProjectOver = Pick<DeploymentArchiveRow, 'organizationId' | 'projectId'>

/** Projects after the one with the id `after`, in the order of their ids. */
export const projectsAfter = (db: Db, after: string, count: number): Promise<ProjectOver[]> =>
  db
    .select({ organizationId: projects.organizationId, projectId: projects.id })
    .from(projects)
    .where(gt(projects.id, after))
    .orderBy(asc(projects.id))
    .limit(count)

/**
 * The deployments of a project that were over by then and that a later release has followed, with what is long in
 * them; the first to end come first. What an instance runs, and what was tried since, stays whole in its row.
 */
export function deploymentsOver(
  db: Db,
  { organizationId, projectId }: ProjectOver,
  { by, after, count }: { by: Date; after: Date; count: number },
): Promise<(Archived & { completedAt: Date | null })[]> {
  const { id, completedAt, archiveId, moduleInstanceId } = deployments
  const isFollowed = sql`exists (select from deployments later where later.module_instance_id = ${moduleInstanceId}
    and later.status = 'SUCCESS' and later.completed_at > ${completedAt})`
  return db
    .select({ id, completedAt, data: sql<LongData>`long_data_of_deployment(${deployments.data})` })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        eq(deployments.projectId, projectId),
        isNull(archiveId),
        gt(completedAt, after),
        lt(completedAt, by),
        isFollowed,
      ),
    )
    .orderBy(asc(completedAt))
    .limit(count)
}

export async function insertArchive(
  db: Db,
  row: typeof deploymentArchives.$inferInsert,
): Promise<DeploymentArchiveRow> {
  const [inserted] = await db.insert(deploymentArchives).values(row).returning()
  if (!inserted) throw new Error('the insert returned no row')
  return inserted
}

/**
 * The object is there: from now on it is read, and its deployments have it no more. What another process has archived
 * meanwhile stays there; an archive that is left with nothing goes.
 */
export function noteStored(db: Db, { id }: DeploymentArchiveRow, ids: readonly string[], now: Date): Promise<void> {
  return db.transaction(async (tx) => {
    const isIt = and(eq(deploymentArchives.id, id), isNull(deploymentArchives.storedAt))
    const [stored] = await tx
      .update(deploymentArchives)
      .set({ storedAt: now, updatedAt: sql`now()` })
      .where(isIt)
      .returning({ id: deploymentArchives.id })
    if (!stored) return
    const taken = await tx
      .update(deployments)
      .set({ archiveId: id, data: sql`without_long_data(${deployments.data})` })
      .where(and(inArray(deployments.id, [...ids]), isNull(deployments.archiveId)))
      .returning({ id: deployments.id })
    if (taken.length === 0) await tx.delete(deploymentArchives).where(eq(deploymentArchives.id, id))
  })
}

/** Removes those that were begun before then and never stored: who wrote them was killed. */
export async function dropUnstored(db: Db, before: Date): Promise<void> {
  await db
    .delete(deploymentArchives)
    .where(and(isNull(deploymentArchives.storedAt), lt(deploymentArchives.createdAt, before)))
}

export const findArchives = (db: Db, organizationId: string, ids: readonly string[]): Promise<DeploymentArchiveRow[]> =>
  db
    .select()
    .from(deploymentArchives)
    .where(
      and(
        eq(deploymentArchives.organizationId, organizationId),
        inArray(deploymentArchives.id, [...ids]),
        isNotNull(deploymentArchives.storedAt),
      ),
    )
