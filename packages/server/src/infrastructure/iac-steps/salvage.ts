import { readFile } from 'node:fs/promises'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { Attempt } from '../../pipelines/runner/work.ts'
import { holdWorkspace } from '../../stacks/iac-states/locks.ts'
import { appendState, packState } from '../../stacks/iac-states/store.ts'
import type { IacParts } from './parts.ts'

/**
 * Takes in the state that the tool has left in its folder because it could not hand it in: our API was away for too long,
 * or the lock was broken. Only where nothing newer is there and nobody else is at it.
 */
export async function salvage(
  { db, seal }: IacParts,
  attempt: Attempt,
  { organizationId, workspaceId }: IacPlanRow,
  file: string,
): Promise<void> {
  if (workspaceId === null) return
  const bytes = await readFile(file).catch(() => undefined)
  const packed = bytes && (await packState(seal, bytes))
  if (!packed) return
  const { id: stepExecutionId, stepName, pipelineRunId } = attempt.step
  const said = await db.transaction(async (tx) => {
    const workspace = await holdWorkspace(tx, organizationId, workspaceId)
    if (!workspace) return 'the workspace is gone'
    if (workspace.lock && workspace.lock.stepExecutionId !== stepExecutionId) {
      return `${workspace.lock.heldBy} has locked it meanwhile`
    }
    const createdBy = `step ${stepName} of run ${pipelineRunId}`
    const appended = await appendState(tx, workspace, packed, { stepExecutionId, createdBy })
    return typeof appended === 'object' && 'conflict' in appended ? appended.conflict : undefined
  })
  attempt.log(
    said === undefined
      ? 'The state that the tool could not hand in was taken from its folder.'
      : `The tool could not hand in its state, and it cannot be taken from its folder: ${said}.`,
  )
}
