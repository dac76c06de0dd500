import type { CreatePipeline, PipelineRunStatus, UpdatePipeline } from '@sluice/contract'
import { and, desc, eq, inArray, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type PipelineRow, pipelineRuns, pipelines } from './tables.ts'

export interface PipelineFilters {
  projectId?: string
  givenId?: string
}

/** Latest run of a pipeline. */
export type LatestRun = { id: string; status: PipelineRunStatus }

const one = (organizationId: string, id: string) =>
  and(eq(pipelines.organizationId, organizationId), eq(pipelines.id, id))

export async function insertPipeline(tx: Db, organizationId: string, given: CreatePipeline): Promise<PipelineRow> {
  const [row] = await tx
    .insert(pipelines)
    .values({ ...given, id: newId('pl'), organizationId })
    .returning()
  if (!row) throw new Error('the pipeline was not inserted')
  return row
}

export function listPipelines(
  db: Db,
  organizationId: string,
  { projectId, givenId }: PipelineFilters,
  page: PageBounds,
): Promise<PageRows<PipelineRow>> {
  const where = and(
    eq(pipelines.organizationId, organizationId),
    projectId === undefined ? undefined : eq(pipelines.projectId, projectId),
    givenId === undefined ? undefined : eq(pipelines.givenId, givenId),
  )
  return selectPage(db, pipelines, where, page)
}

export async function findPipeline(db: Db, organizationId: string, id: string): Promise<PipelineRow | undefined> {
  const [row] = await db.select().from(pipelines).where(one(organizationId, id))
  return row
}

/** Returns a pipeline of a project by its id or givenId. */
export async function findPipelineNamed(
  db: Db,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  { id, givenId }: { id?: string | undefined; givenId?: string | undefined },
): Promise<PipelineRow | undefined> {
  if (id !== undefined) return findPipeline(db, organizationId, id)
  const named = and(eq(pipelines.projectId, projectId), eq(pipelines.givenId, givenId ?? ''))
  const [row] = await db
    .select()
    .from(pipelines)
    .where(and(eq(pipelines.organizationId, organizationId), named))
  return row
}

/** Returns the latest run of each pipeline, by pipeline id. Reads one index entry per pipeline. */
export async function latestRunsOf(
  db: Db,
  organizationId: string,
  pipelineIds: string[],
): Promise<Map<string, LatestRun>> {
  if (pipelineIds.length === 0) return new Map()
  const latest = db
    .select({ id: pipelineRuns.id, status: pipelineRuns.status })
    .from(pipelineRuns)
    .where(eq(pipelineRuns.pipelineId, pipelines.id))
    .orderBy(desc(pipelineRuns.id))
    .limit(1)
    .as('latest')
  const rows = await db
    .select({ pipelineId: pipelines.id, id: latest.id, status: latest.status })
    .from(pipelines)
    .innerJoinLateral(latest, sql`true`)
    .where(and(eq(pipelines.organizationId, organizationId), inArray(pipelines.id, pipelineIds)))
  return new Map(rows.map(({ pipelineId, ...run }) => [pipelineId, run]))
}

/** Loads a pipeline and prevents its deletion until the end of the transaction. */
export async function lockPipelineShared(tx: Db, organizationId: string, id: string): Promise<PipelineRow | undefined> {
  const [row] = await tx.select().from(pipelines).where(one(organizationId, id)).for('key share')
  return row
}

/** Loads and locks a pipeline, so that no other transaction can refer to it. */
export async function lockPipeline(tx: Db, organizationId: string, id: string): Promise<PipelineRow | undefined> {
  const [row] = await tx.select().from(pipelines).where(one(organizationId, id)).for('update')
  return row
}

export async function updatePipeline(
  tx: Db,
  organizationId: string,
  id: string,
  changes: UpdatePipeline,
): Promise<PipelineRow | undefined> {
  const [row] = await tx
    .update(pipelines)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(one(organizationId, id))
    .returning()
  return row
}

/**
 * Returns the number of the pipeline's next version. Locks the row of the pipeline until the end of the transaction, so
 * that a rollback leaves no gap.
 */
export async function takeNextVersion(tx: Db, organizationId: string, id: string): Promise<number | undefined> {
  const [row] = await tx
    .update(pipelines)
    .set({ latestVersion: sql`${pipelines.latestVersion} + 1` })
    .where(one(organizationId, id))
    .returning({ version: pipelines.latestVersion })
  return row?.version
}

/** Deletes a pipeline with its versions and runs. */
export async function removePipeline(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx.delete(pipelines).where(one(organizationId, id))
}
