import type { PipelineStepExecutionStatus } from '@sluice/contract'
import { and, eq, inArray, sql } from 'drizzle-orm'
import {
  type PipelineRunRow,
  type PipelineStepExecutionRow,
  type PipelineVersionRow,
  pipelineRuns,
  pipelineStepExecutions,
  pipelineVersions,
} from '../pipelines/tables.ts'
import type { Db } from '../platform/db/open.ts'
import { type PageBounds, type PageRows, selectCountedPage } from '../platform/db/page.ts'

export interface PipelineStepExecutionFilters {
  pipelineRunId?: string
  status?: PipelineStepExecutionStatus[]
}

/** What becomes of a step when somebody decides about it. */
export type Decided = Pick<PipelineStepExecutionRow, 'status' | 'decision'> &
  Partial<Pick<PipelineStepExecutionRow, 'queueReason' | 'queueMetadata' | 'error' | 'completedAt'>>

const one = (organizationId: string, id: string) =>
  and(eq(pipelineStepExecutions.organizationId, organizationId), eq(pipelineStepExecutions.id, id))

export function listPipelineStepExecutions(
  db: Db,
  organizationId: string,
  { pipelineRunId, status }: PipelineStepExecutionFilters,
  page: PageBounds,
): Promise<PageRows<PipelineStepExecutionRow>> {
  const filter = and(
    pipelineRunId === undefined ? undefined : eq(pipelineStepExecutions.pipelineRunId, pipelineRunId),
    status && inArray(pipelineStepExecutions.status, status),
  )
  return selectCountedPage(db, pipelineStepExecutions, organizationId, filter, page)
}

export async function findPipelineStepExecution(
  db: Db,
  organizationId: string,
  id: string,
): Promise<PipelineStepExecutionRow | undefined> {
  const [row] = await db.select().from(pipelineStepExecutions).where(one(organizationId, id))
  return row
}

/** Writes a decision about a step that waits for one; undefined if it does not, so that the first decision stands. */
export async function decidePipelineStepExecution(
  tx: Db,
  organizationId: string,
  id: string,
  decided: Decided,
): Promise<PipelineStepExecutionRow | undefined> {
  const [row] = await tx
    .update(pipelineStepExecutions)
    .set({ ...decided, updatedAt: sql`now()` })
    .where(and(one(organizationId, id), eq(pipelineStepExecutions.status, 'PENDING_APPROVAL')))
    .returning()
  return row
}

/** A step with what decides about it. */
export type StepInRun = { step: PipelineStepExecutionRow; run: PipelineRunRow; version: PipelineVersionRow }

/** The step, if this is its present attempt and still under way; nobody else changes it before the transaction ends. */
export async function lockAttempt(
  tx: Db,
  { organizationId, id, attemptEpoch }: { organizationId: string; id: string; attemptEpoch: number },
): Promise<StepInRun | undefined> {
  const isPresent = and(
    eq(pipelineStepExecutions.status, 'IN_PROGRESS'),
    eq(pipelineStepExecutions.attemptEpoch, attemptEpoch),
  )
  const where = and(one(organizationId, id), isPresent)
  const [step] = await tx.select().from(pipelineStepExecutions).where(where).for('update')
  // Only now: a cancel of the run may have held the step until a moment ago.
  return step && { step, ...(await runOf(tx, step)) }
}

async function runOf(tx: Db, { organizationId, pipelineRunId }: PipelineStepExecutionRow) {
  const [found] = await tx
    .select({ run: pipelineRuns, version: pipelineVersions })
    .from(pipelineRuns)
    .innerJoin(pipelineVersions, eq(pipelineVersions.id, pipelineRuns.pipelineVersionId))
    .where(and(eq(pipelineRuns.organizationId, organizationId), eq(pipelineRuns.id, pipelineRunId)))
  if (!found) throw new Error(`the pipeline run ${pipelineRunId} is gone`)
  return found
}

/** Writes the part of a step that moves. The caller holds its row, or is the only one who may change it. */
export async function saveStep(tx: Db, step: PipelineStepExecutionRow): Promise<void> {
  const { organizationId, id, createdAt: _, ...moving } = step
  await tx
    .update(pipelineStepExecutions)
    .set({ ...moving, updatedAt: sql`now()`, revision: step.revision + 1 })
    .where(one(organizationId, id))
}
