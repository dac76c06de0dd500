import type { PipelineRunStatus, UserFacingError } from '@sluice/contract'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { unfinishedRunStatuses, unfinishedStepStatuses } from '../pipelines/machine.ts'
import { type PipelineRunRow, pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'
import type { Db } from '../platform/db/open.ts'
import { type PageBounds, type PageRows, selectCountedPage } from '../platform/db/page.ts'

export type NewPipelineRun = typeof pipelineRuns.$inferInsert
export type NewStepExecution = typeof pipelineStepExecutions.$inferInsert

export interface PipelineRunFilters {
  pipelineId?: string
  status?: PipelineRunStatus[]
}

const one = (organizationId: string, id: string) =>
  and(eq(pipelineRuns.organizationId, organizationId), eq(pipelineRuns.id, id))

/** Stores a run together with its steps. */
export async function insertPipelineRun(
  tx: Db,
  run: NewPipelineRun,
  steps: NewStepExecution[],
): Promise<PipelineRunRow> {
  const [row] = await tx.insert(pipelineRuns).values(run).returning()
  if (!row) throw new Error('the pipeline run was not inserted')
  if (steps.length > 0) await tx.insert(pipelineStepExecutions).values(steps)
  return row
}

export function listPipelineRuns(
  db: Db,
  organizationId: string,
  { pipelineId, status }: PipelineRunFilters,
  page: PageBounds,
): Promise<PageRows<PipelineRunRow>> {
  const filter = and(
    pipelineId === undefined ? undefined : eq(pipelineRuns.pipelineId, pipelineId),
    status && inArray(pipelineRuns.status, status),
  )
  return selectCountedPage(db, pipelineRuns, organizationId, filter, page)
}

export async function findPipelineRun(db: Db, organizationId: string, id: string): Promise<PipelineRunRow | undefined> {
  const [row] = await db.select().from(pipelineRuns).where(one(organizationId, id))
  return row
}

/** Cancels a run with all of its steps that are not over; undefined if the run is over, or not there. */
export async function cancelPipelineRun(
  tx: Db,
  organizationId: string,
  id: string,
  error: UserFacingError,
  now: Date,
): Promise<PipelineRunRow | undefined> {
  const cancelled = { status: 'CANCELLED', error, completedAt: now, updatedAt: sql`now()` } as const
  const [row] = await tx
    .update(pipelineRuns)
    .set(cancelled)
    .where(and(one(organizationId, id), inArray(pipelineRuns.status, unfinishedRunStatuses)))
    .returning()
  if (!row) return undefined
  const itsSteps = and(
    eq(pipelineStepExecutions.organizationId, organizationId),
    eq(pipelineStepExecutions.pipelineRunId, id),
    inArray(pipelineStepExecutions.status, unfinishedStepStatuses),
  )
  await tx.update(pipelineStepExecutions).set(cancelled).where(itsSteps)
  return row
}
