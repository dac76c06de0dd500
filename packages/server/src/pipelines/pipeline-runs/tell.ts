import { toDeployment } from '../../delivery/deployments/execution/wake.ts'
import type { Message } from '../../platform/engine/messages.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { isForRunners, isForWorkers, isHandedOver } from './machine.ts'
import { toRun, toStep } from './wake.ts'

/** Whom to tell once it is committed. */
export type Told = {
  runs: string[]
  steps: string[]
  deployments: string[]
  /** Whether steps wait for a runner. */
  isReady: boolean
}

/** Who is to be told of the steps of a run that goes on. */
export function toldOf(steps: readonly PipelineStepExecutionRow[]): Told {
  const mine = steps.filter(({ stepType }) => isForWorkers(stepType))
  const toWorkers = mine.filter(
    (step) => isHandedOver(step) || (step.status === 'IN_PROGRESS' && step.cancelRequestedAt),
  )
  const isReady = steps.some((step) => isForRunners(step.stepType) && isHandedOver(step))
  return { runs: [], steps: toWorkers.map(({ id }) => id), deployments: [], isReady }
}

/** What the engine is told of what became of a run. */
export const messagesOf = ({ runs = [], steps = [], deployments = [] }: Partial<Told>): Message[] => [
  ...runs.map((id) => toRun(id)),
  ...steps.map((id) => toStep(id)),
  ...deployments.map((id) => toDeployment(id)),
]
