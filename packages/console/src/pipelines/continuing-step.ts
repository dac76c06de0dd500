import type { PipelineStepExecution } from '@sluice/contract'
import { isStepOver } from '@sluice/contract/states'
import { type StepConfig, swappedStep } from './config.ts'

type Known = { steps: readonly PipelineStepExecution[]; config: readonly StepConfig[] }

/** Returns the step that continues a paused deployment; undefined if a person does. */
export function continuingStep(
  step: PipelineStepExecution,
  { steps, config }: Known,
): PipelineStepExecution | undefined {
  const isOpen = ({ status }: PipelineStepExecution) => !isStepOver(status)
  if (step.stepType === 'deploy-swap') return isOpen(step) ? step : undefined
  const isLeft = step.status === 'SUCCESS' || config.find(({ id }) => id === step.stepId)?.with?.until === 'paused'
  if (!isLeft) return undefined
  return steps.find((one) => isOpen(one) && swappedStep(config, one.stepId) === step.stepId)
}
