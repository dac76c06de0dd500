import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Mosts } from '../../platform/limits/table.ts'
import { holdWorkspace } from '../../stacks/iac-states/locks.ts'
import { appendState, packState } from '../../stacks/iac-states/store.ts'

/**
 * Takes in the state that the tool has left in its folder because it could not hand it in: our API was away for too
 * long, or the lock was broken. Only where nothing newer is there and nobody else is at it. Says for the log what
 * became of it.
 */
export async function salvage(
  { db, seal, mosts }: { db: Db; seal: Seal; mosts: Mosts },
  { id: stepExecutionId, stepName, pipelineRunId }: PipelineStepExecutionRow,
  { organizationId, workspaceId }: IacPlanRow,
  leftover: string | undefined,
): Promise<string | undefined> {
  if (workspaceId === null || leftover === undefined) return undefined
  const packed = await packState(seal, organizationId, Buffer.from(leftover, 'base64'))
  if (!packed) return undefined
  const said = await db.transaction(async (tx) => {
    const workspace = await holdWorkspace(tx, organizationId, workspaceId)
    if (!workspace) return 'the workspace is gone'
    if (workspace.lock && workspace.lock.stepExecutionId !== stepExecutionId) {
      return `${workspace.lock.heldBy} has locked it meanwhile`
    }
    const createdBy = `step ${stepName} of run ${pipelineRunId}`
    const appended = await appendState(tx, workspace, packed, { stepExecutionId, createdBy, mosts })
    if (typeof appended !== 'object') return undefined
    if ('full' in appended) return appended.full.message
    return 'conflict' in appended ? appended.conflict : undefined
  })
  return said === undefined
    ? 'The state that the tool could not hand in was taken from its folder.'
    : `The tool could not hand in its state, and it cannot be taken from its folder: ${said}.`
}
