import type { PipelineConfig, StepConfig } from '../pipeline-versions/config/schema.ts'
import { continuedStep, stepsReleasedBy } from '../pipeline-versions/config/steps.ts'
import type { Step } from './attempt.ts'

type Run = { config: PipelineConfig; steps: readonly Step[] }

/**
 * Reports whether a step needs no approval because it only lets applies of plans without changes continue. If other
 * steps wait for the same approval, only the pipeline's setting can make it unnecessary.
 */
export function needsNoApproval({ id, approval }: StepConfig, run: Run): boolean {
  if (approval?.on_no_changes === 'ask') return false
  const decided = stepsReleasedBy(run.config.steps, id).filter(({ type }) => type !== 'approval')
  const applies = decided.filter(({ type }) => type === 'iac:apply')
  if (applies.length < decided.length && approval?.on_no_changes !== 'approve') return false
  return applies.length > 0 && applies.every((apply) => isPlanUnchanged(apply, run))
}

/** Reports whether the plan of an apply has no changes. A plan that does not exist yet may have some. */
function isPlanUnchanged(apply: StepConfig, { config, steps }: Run): boolean {
  const planStep = continuedStep(config.steps, apply)
  return steps.find(({ stepId }) => stepId === planStep)?.outputData?.has_changes === false
}
