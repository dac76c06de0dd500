import type { StepConfig } from '../pipeline-versions/config/schema.ts'
import { continuedStep, needsOf } from '../pipeline-versions/config/steps.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'

/** Properties of an ended step that decide about taking it over. */
type Ended = Pick<PipelineStepExecutionRow, 'stepId' | 'status' | 'outputData'>

/** Steps of the retried run, by step id. */
type EndedSteps = ReadonlyMap<string, Ended>

/**
 * Returns the ids of the steps that a retry takes over. All others are executed again, including dependents of those,
 * and the steps that they continue: a plan is repeated before its apply, and a deployment before its swap.
 */
export function stepsToTakeOver(steps: readonly StepConfig[], ended: EndedSteps): Set<string> {
  const begun = new Map(steps.map((step) => [step.id, continuedStep(steps, step)]))
  const again = new Set(steps.filter((step) => !canTakeOver(step, ended, begun)).map(({ id }) => id))
  // A step that must be repeated may be listed before the one that requires it, and may require others.
  for (let size = 0; size < again.size; ) {
    size = again.size
    for (const [index, { id }] of steps.entries()) {
      if (needsOf(steps, index).some((need) => again.has(need))) again.add(id)
      const first = begun.get(id)
      if (again.has(id) && first !== undefined) again.add(first)
    }
  }
  return new Set(steps.map(({ id }) => id).filter((id) => !again.has(id)))
}

/** Returns the reused approval steps that precede a step which is executed again. */
export function approvalsBefore(steps: readonly StepConfig[], taken: ReadonlySet<string>): string[] {
  const before = new Set<string>()
  // From last to first, because a need is listed before its dependents.
  for (const [index, { id }] of [...steps.entries()].toReversed()) {
    if (!taken.has(id) || before.has(id)) for (const need of needsOf(steps, index)) before.add(need)
  }
  return steps.filter(({ id, type }) => type === 'approval' && taken.has(id) && before.has(id)).map(({ id }) => id)
}

type Begun = ReadonlyMap<string, string | undefined>

/**
 * Reports whether the result of a step can be taken over. The reason of a skipped step stays valid while its needs do.
 */
function canTakeOver(step: StepConfig, ended: EndedSteps, begun: Begun): boolean {
  const before = ended.get(step.id)
  if (before?.status === 'SUCCESS') return !wasLeftPaused(step, before, ended, begun)
  return before?.status === 'SKIPPED' || (before?.status === 'ERROR' && step.on_failure === 'continue')
}

/** Reports whether a step left a paused deployment, which was cancelled with the run unless a later step swapped it. */
function wasLeftPaused({ id, type }: StepConfig, { outputData }: Ended, ended: EndedSteps, begun: Begun): boolean {
  if (type !== 'deploy' || outputData?.hook_id === undefined) return false
  return ![...begun].some(([other, first]) => first === id && ended.get(other)?.status === 'SUCCESS')
}

/** Returns one message for each step that cannot be skipped. */
export function skipFaults(
  steps: readonly StepConfig[],
  taken: ReadonlySet<string>,
  skipped: readonly string[],
): string[] {
  return [...new Set(skipped)].flatMap((id) => {
    const step = steps.find((one) => one.id === id)
    if (!step) return [`${id}: the run has no such step; it has ${steps.map((one) => one.id).join(', ')}`]
    if (taken.has(id)) return [`${id}: it has ended and is not repeated`]
    if (step.type === 'approval') return [`${id}: an approval is decided about: approve it when it asks`]
    const next = steps.find(
      (one) => continuedStep(steps, one) === id && !taken.has(one.id) && !skipped.includes(one.id),
    )
    return next ? [`${id}: ${next.id} continues it; skip that as well`] : []
  })
}
