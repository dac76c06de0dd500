import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import type { LimitValues } from '../../platform/limits/table.ts'
import { lockWorkspace } from '../../stacks/iac-states/locks.ts'
import { appendState, packState } from '../../stacks/iac-states/store.ts'

/**
 * Stores a state file that the tool left on disk because it could not upload it, provided no newer state or other
 * holder exists. Returns a message for the log.
 */
export async function storeLeftoverState(
  { db, seal, mosts }: { db: Db; seal: Seal; mosts: LimitValues },
  { id: stepExecutionId, stepName, pipelineRunId }: PipelineStepExecutionRow,
  { organizationId, workspaceId }: IacPlanRow,
  leftover: string | undefined,
): Promise<string | undefined> {
  if (workspaceId === null || leftover === undefined) return undefined
  const packed = await packState(seal, organizationId, Buffer.from(leftover, 'base64'))
  if (!packed) return undefined
  const reason = await db.transaction(async (tx) => {
    const workspace = await lockWorkspace(tx, organizationId, workspaceId)
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
  return reason === undefined
    ? 'The state that the tool could not hand in was taken from its folder.'
    : `The tool could not hand in its state, and it cannot be taken from its folder: ${reason}.`
}
