import type { PipelineConfig, StepConfig } from '../pipeline-versions/config/schema.ts'
import { begunBy, letGoBy } from '../pipeline-versions/config/steps.ts'
import type { Step } from './attempt.ts'

/**
 * Whether a step asks for no approval because it applies a plan without changes. Where other steps wait for the same
 * decision, it is about those as well: only the pipeline can then say that no changes need no approval.
 */
export function needsNoApproval(
  config: StepConfig,
  { config: { steps: configs }, steps }: { config: PipelineConfig; steps: readonly Step[] },
): boolean {
  if (config.type !== 'iac:apply') return false
  const isAlone = letGoBy(configs, config.id).length === 1
  const onNoChanges = config.approval?.on_no_changes ?? (isAlone ? 'approve' : 'ask')
  if (onNoChanges === 'ask') return false
  const planStep = begunBy(configs, config)
  return steps.find(({ stepId }) => stepId === planStep)?.outputData?.has_changes === false
}
