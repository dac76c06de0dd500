import { changesInfrastructure } from '../../pipelines/pipeline-runs/gates/freezes.ts'
import { pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { and, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type StateLock, stackWorkspaces } from '../../stacks/stacks/tables.ts'

/**
 * Step attempt that works on a workspace. One that only plans or detects drift may read the state but not write it,
 * because it passed no release gates.
 */
export type Holder = { organizationId: string; stepExecutionId: string; heldBy: string; mayWriteState: boolean }

/**
 * Returns the attempt that a token was issued for while it is in progress, if the workspace belongs to its
 * organization.
 */
export async function findHolder(
  db: Db,
  {
    workspaceId,
    stepExecutionId,
    attemptEpoch,
  }: { workspaceId: string; stepExecutionId: string; attemptEpoch: number },
): Promise<Holder | undefined> {
  const [row] = await db
    .select({
      organizationId: stackWorkspaces.organizationId,
      stepName: pipelineStepExecutions.stepName,
      stepType: pipelineStepExecutions.stepType,
      pipelineRunId: pipelineStepExecutions.pipelineRunId,
    })
    .from(pipelineStepExecutions)
    .innerJoin(stackWorkspaces, eq(stackWorkspaces.organizationId, pipelineStepExecutions.organizationId))
    .where(
      and(
        eq(pipelineStepExecutions.id, stepExecutionId),
        eq(pipelineStepExecutions.attemptEpoch, attemptEpoch),
        eq(pipelineStepExecutions.status, 'IN_PROGRESS'),
        eq(stackWorkspaces.id, workspaceId),
      ),
    )
  return (
    row && {
      organizationId: row.organizationId,
      stepExecutionId,
      heldBy: `step ${row.stepName} of run ${row.pipelineRunId}`,
      mayWriteState: changesInfrastructure(row.stepType),
    }
  )
}

/** Reports whether the step that holds a lock has ended. Its lock ends with it, even if it was not released. */
export async function hasHolderEnded(
  tx: Db,
  organizationId: string,
  { stepExecutionId }: Pick<StateLock, 'stepExecutionId'>,
): Promise<boolean> {
  if (stepExecutionId === undefined) return false
  const [step] = await tx
    .select({ status: pipelineStepExecutions.status })
    .from(pipelineStepExecutions)
    .where(
      and(eq(pipelineStepExecutions.organizationId, organizationId), eq(pipelineStepExecutions.id, stepExecutionId)),
    )
  return step?.status !== 'IN_PROGRESS'
}
