import type { PipelineRunStatus, UserFacingError } from '@sluice/contract'
import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import { unfinishedRunStatuses, unfinishedStepStatuses } from '../pipelines/machine.ts'
import { type CancelRequest, type PipelineRunRow, pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'
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

/** The run that a step belongs to. */
export async function findRunOfStep(
  db: Db,
  organizationId: string,
  stepExecutionId: string,
): Promise<PipelineRunRow | undefined> {
  const steps = db
    .select({ id: pipelineStepExecutions.pipelineRunId })
    .from(pipelineStepExecutions)
    .where(
      and(eq(pipelineStepExecutions.organizationId, organizationId), eq(pipelineStepExecutions.id, stepExecutionId)),
    )
  const [row] = await db
    .select()
    .from(pipelineRuns)
    .where(and(eq(pipelineRuns.organizationId, organizationId), inArray(pipelineRuns.id, steps)))
  return row
}

/** Nobody else decides about the group before the transaction ends; there is no row that stands for one. */
export async function lockGroup(tx: Db, organizationId: string, group: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`run group ${organizationId} ${group}`}, 0))`)
}

const unfinishedIn = (organizationId: string, group: string) =>
  and(
    eq(pipelineRuns.organizationId, organizationId),
    eq(pipelineRuns.concurrencyGroup, group),
    inArray(pipelineRuns.status, unfinishedRunStatuses),
  )

/** The ids of the runs of a group that are not over, oldest first. */
export async function unfinishedOfGroup(db: Db, organizationId: string, group: string): Promise<string[]> {
  const rows = await db
    .select({ id: pipelineRuns.id })
    .from(pipelineRuns)
    .where(unfinishedIn(organizationId, group))
    .orderBy(asc(pipelineRuns.id))
  return rows.map(({ id }) => id)
}

/** Asks the runs of a group that are not over to end, and wakes them; the ids of those that nobody had asked before. */
export async function supersedeGroup(
  tx: Db,
  organizationId: string,
  group: string,
  cancelRequest: CancelRequest,
  now: Date,
): Promise<string[]> {
  const rows = await tx
    .update(pipelineRuns)
    .set({
      cancelRequest,
      wakeAt: now,
      updatedAt: sql`now()`,
      revision: sql`${pipelineRuns.revision} + 1`,
      wakeSeq: sql`${pipelineRuns.wakeSeq} + 1`,
    })
    .where(and(unfinishedIn(organizationId, group), isNull(pipelineRuns.cancelRequest)))
    .returning({ id: pipelineRuns.id })
  return rows.map(({ id }) => id)
}
