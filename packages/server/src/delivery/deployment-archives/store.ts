import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { projects } from '../../projects/projects/tables.ts'
import type { StoredData } from '../deployments/execution/state.ts'
import { deployments } from '../deployments/store/tables.ts'
import { type DeploymentArchiveRow, deploymentArchives } from './tables.ts'

/** Large parts of a deployment's data, which only a single deployment's representation needs. */
export type LargeData = Partial<StoredData>

/** Deployment with its large parts. */
export type Archived = { id: string; data: LargeData }

export type ProjectReference = Pick<DeploymentArchiveRow, 'organizationId' | 'projectId'>

/** Returns projects in the order of their ids, after the id `after`. */
export const projectsAfter = (db: Db, after: string, count: number): Promise<ProjectReference[]> =>
  db
    .select({ organizationId: projects.organizationId, projectId: projects.id })
    .from(projects)
    .where(gt(projects.id, after))
    .orderBy(asc(projects.id))
    .limit(count)

/**
 * Returns a project's deployments that ended before the cutoff and have a successor, with their large fields, ordered
 * by end time. The running release of an instance, and everything after it, is not archived.
 */
export function archivableDeployments(
  db: Db,
  { organizationId, projectId }: ProjectReference,
  { by, after, count }: { by: Date; after: Date; count: number },
): Promise<(Archived & { completedAt: Date | null })[]> {
  const { id, completedAt, archiveId, moduleInstanceId } = deployments
  const isFollowed = sql`exists (select from deployments later where later.module_instance_id = ${moduleInstanceId}
    and later.status = 'SUCCESS' and later.completed_at > ${completedAt})`
  return db
    .select({ id, completedAt, data: sql<LargeData>`long_data_of_deployment(${deployments.data})` })
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
 * Records that an archive object is complete and removes its parts from the deployments. Skips deployments that another
 * process has archived; deletes an archive without any.
 */
export function recordStored(db: Db, { id }: DeploymentArchiveRow, ids: readonly string[], now: Date): Promise<void> {
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

/** Deletes archives that were started before then and never completed, because of a crash. */
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
