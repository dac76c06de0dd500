import type { PipelineConfig, StepConfig } from '../pipeline-versions/config/schema.ts'
import { begunBy, letGoBy } from '../pipeline-versions/config/steps.ts'
import type { Step } from './attempt.ts'

type Run = { config: PipelineConfig; steps: readonly Step[] }

/**
 * Whether a step needs no approval, because all that it lets proceed are applies of plans without changes. Where other
 * steps wait for the same decision, it is about those as well, and only the pipeline can say that it is not needed.
 */
export function needsNoApproval({ id, approval }: StepConfig, run: Run): boolean {
  if (approval?.on_no_changes === 'ask') return false
  const decided = letGoBy(run.config.steps, id).filter(({ type }) => type !== 'approval')
  const applies = decided.filter(({ type }) => type === 'iac:apply')
  if (applies.length < decided.length && approval?.on_no_changes !== 'approve') return false
  return applies.length > 0 && applies.every((apply) => hasNoChanges(apply, run))
}

/** A plan that is not made yet may have changes. */
function hasNoChanges(apply: StepConfig, { config, steps }: Run): boolean {
  const planStep = begunBy(config.steps, apply)
  return steps.find(({ stepId }) => stepId === planStep)?.outputData?.has_changes === false
}
