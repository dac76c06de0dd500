import { changesInfrastructure } from '../../pipelines/pipeline-runs/gates/freezes.ts'
import { pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { and, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type StateLock, stackWorkspaces } from '../../stacks/stacks/tables.ts'

/**
 * Which attempt of which step of which run works on a workspace. One that only plans, or looks for drift, reads the
 * state and writes none: it has passed no freeze, approval rule or policy.
 */
export type Holder = { organizationId: string; stepExecutionId: string; heldBy: string; mayWriteState: boolean }

/** The attempt that a token speaks for, while it goes on and if the workspace is of the same organization. */
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

/** Whether the step that holds a lock is over: its lock ends with it, also where nobody was left to release it. */
export async function isHolderOver(
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
