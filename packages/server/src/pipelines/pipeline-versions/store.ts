import type { PipelineVersion } from '@sluice/contract'
import { type AnyPgColumn, and, desc, eq, isNotNull, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type PipelineRow, type PipelineVersionRow, pipelines, pipelineVersions } from '../pipelines/tables.ts'

export async function insertPipelineVersion(
  tx: Db,
  organizationId: string,
  given: Pick<PipelineVersion, 'pipelineId' | 'version' | 'config' | 'createdById'> &
    Partial<Pick<PipelineVersionRow, 'policies'>>,
): Promise<PipelineVersionRow> {
  const [row] = await tx
    .insert(pipelineVersions)
    .values({ ...given, id: newId('plv'), organizationId })
    .returning()
  if (!row) throw new Error('the pipeline version was not inserted')
  return row
}

export function listPipelineVersions(
  db: Db,
  organizationId: string,
  { pipelineId }: { pipelineId?: string },
  page: PageBounds,
): Promise<PageRows<PipelineVersionRow>> {
  const where = and(
    eq(pipelineVersions.organizationId, organizationId),
    pipelineId === undefined ? undefined : eq(pipelineVersions.pipelineId, pipelineId),
  )
  return selectPage(db, pipelineVersions, where, page)
}

/** Returns the latest versions that users wrote, of a project or of all, newest first. */
export function latestVersionsIn(
  db: Db,
  organizationId: string,
  { projectId, count }: { projectId: string | undefined; count: number },
): Promise<{ pipeline: PipelineRow; version: PipelineVersionRow }[]> {
  const where = and(
    eq(pipelineVersions.organizationId, organizationId),
    isNotNull(pipelineVersions.createdById),
    projectId === undefined ? undefined : eq(pipelines.projectId, projectId),
  )
  return db
    .select({ pipeline: pipelines, version: pipelineVersions })
    .from(pipelineVersions)
    .innerJoin(pipelines, eq(pipelines.id, pipelineVersions.pipelineId))
    .where(where)
    .orderBy(desc(pipelineVersions.id))
    .limit(count)
}

export async function findPipelineVersion(
  db: Db,
  organizationId: string,
  id: string,
): Promise<PipelineVersionRow | undefined> {
  const [row] = await db
    .select()
    .from(pipelineVersions)
    .where(and(eq(pipelineVersions.organizationId, organizationId), eq(pipelineVersions.id, id)))
  return row
}

/** Loads a version and locks it until the end of the transaction. */
export async function lockPipelineVersion(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<PipelineVersionRow | undefined> {
  const [row] = await tx
    .select()
    .from(pipelineVersions)
    .where(and(eq(pipelineVersions.organizationId, organizationId), eq(pipelineVersions.id, id)))
    .for('update')
  return row
}

/** Stores the approvals of a version, whose content never changes. */
export async function saveApprovals(
  tx: Db,
  { id, approvals }: Pick<PipelineVersionRow, 'id' | 'approvals'>,
): Promise<PipelineVersionRow> {
  const [row] = await tx
    .update(pipelineVersions)
    .set({ approvals, updatedAt: sql`now()` })
    .where(eq(pipelineVersions.id, id))
    .returning()
  if (!row) throw new Error(`the pipeline version ${id} is gone`)
  return row
}

/** Subquery: whether policies required approvals of a version. */
export const isVersionAskedAbout = (id: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${pipelineVersions} where ${and(eq(pipelineVersions.id, id), isAskedAbout)})`

const isAskedAbout = sql`${pipelineVersions.policies} @> '[{"effect": "REQUIRE_APPROVAL"}]'::jsonb`

export async function findLatestPipelineVersion(
  db: Db,
  organizationId: string,
  pipelineId: string,
): Promise<PipelineVersionRow | undefined> {
  const [row] = await db
    .select()
    .from(pipelineVersions)
    .where(and(eq(pipelineVersions.organizationId, organizationId), eq(pipelineVersions.pipelineId, pipelineId)))
    .orderBy(desc(pipelineVersions.version))
    .limit(1)
  return row
}
