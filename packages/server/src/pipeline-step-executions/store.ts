import type { PipelineStepExecutionStatus } from '@sluice/contract'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { type PipelineStepExecutionRow, pipelineStepExecutions } from '../pipelines/tables.ts'
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
