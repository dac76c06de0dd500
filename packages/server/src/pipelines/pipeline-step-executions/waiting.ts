import type { Db } from '../../platform/db/open.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { toStep } from '../pipeline-runs/wake.ts'
import { stepsWaitingFor } from './store.ts'

/** Returns the messages to the steps of a run that wait for a deployment to pause or end. */
export async function waitingStepMessages(
  db: Db,
  { id, organizationId, pipelineRunId }: { id: string; organizationId: string; pipelineRunId: string | null },
): Promise<Message[]> {
  if (pipelineRunId === null) return []
  const steps = await stepsWaitingFor(db, { organizationId, pipelineRunId, deploymentId: id })
  return steps.map((key) => toStep(key))
}
