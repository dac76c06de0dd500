import { toDeployment } from '../../delivery/deployments/execution/wake.ts'
import type { Message } from '../../platform/engine/messages.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { isDispatched, isForRunners, isForWorkers } from './machine.ts'
import { toRun, toStep } from './wake.ts'

/** Recipients to notify after the commit. */
export type Recipients = {
  runs: string[]
  steps: string[]
  deployments: string[]
  /** Whether steps are waiting for a runner. */
  isReady: boolean
}

/** Returns the recipients for the dispatched steps of a run. */
export function recipientsOf(steps: readonly PipelineStepExecutionRow[]): Recipients {
  const mine = steps.filter(({ stepType }) => isForWorkers(stepType))
  const toWorkers = mine.filter(
    (step) => isDispatched(step) || (step.status === 'IN_PROGRESS' && step.cancelRequestedAt),
  )
  const isReady = steps.some((step) => isForRunners(step.stepType) && isDispatched(step))
  return { runs: [], steps: toWorkers.map(({ id }) => id), deployments: [], isReady }
}

/** Returns the messages to the engine. */
export const messagesOf = ({ runs = [], steps = [], deployments = [] }: Partial<Recipients>): Message[] => [
  ...runs.map((id) => toRun(id)),
  ...steps.map((id) => toStep(id)),
  ...deployments.map((id) => toDeployment(id)),
]
