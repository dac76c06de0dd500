import type { StepConfig } from '../pipeline-versions/config/schema.ts'
import { begunBy, needsOf } from '../pipeline-versions/config/steps.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'

/** What is asked of a step of the run that is retried. */
type Ended = Pick<PipelineStepExecutionRow, 'stepId' | 'status' | 'outputData'>

/** The steps of the run that is retried, by their id in the config. */
type EndedSteps = ReadonlyMap<string, Ended>

/**
 * The ids of the steps that a retry takes over as they ended; the others are carried out again. What needs such a step
 * is carried out again too, and so is what it goes on with: a plan is made anew before it is applied, and a deployment
 * before it is swapped.
 */
export function takenOver(steps: readonly StepConfig[], ended: EndedSteps): Set<string> {
  const begun = new Map(steps.map((step) => [step.id, begunBy(steps, step)]))
  const again = new Set(steps.filter((step) => !stands(step, ended, begun)).map(({ id }) => id))
  // What is drawn in may stand before what draws it in, and draws in more.
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

/** Returns the approval steps among those taken over that let steps begin which are carried out again. */
export function approvalsBefore(steps: readonly StepConfig[], taken: ReadonlySet<string>): string[] {
  const before = new Set<string>()
  // From the last to the first: a need stands before the step that has it.
  for (const [index, { id }] of [...steps.entries()].toReversed()) {
    if (!taken.has(id) || before.has(id)) for (const need of needsOf(steps, index)) before.add(need)
  }
  return steps.filter(({ id, type }) => type === 'approval' && taken.has(id) && before.has(id)).map(({ id }) => id)
}

type Begun = ReadonlyMap<string, string | undefined>

/** Whether how a step ended can be built on. Why it was skipped holds as long as what it needs stands. */
function stands(step: StepConfig, ended: EndedSteps, begun: Begun): boolean {
  const before = ended.get(step.id)
  if (before?.status === 'SUCCESS') return !isCutShort(step, before, ended, begun)
  return before?.status === 'SKIPPED' || (before?.status === 'ERROR' && step.on_failure === 'continue')
}

/** A deployment that was left paused was cancelled with its run, unless a later step has swapped it. */
function isCutShort({ id, type }: StepConfig, { outputData }: Ended, ended: EndedSteps, begun: Begun): boolean {
  if (type !== 'deploy' || outputData?.hook_id === undefined) return false
  return ![...begun].some(([other, first]) => first === id && ended.get(other)?.status === 'SUCCESS')
}

/** A line for each step that cannot be skipped, with the reason. */
export function skipFaults(
  steps: readonly StepConfig[],
  taken: ReadonlySet<string>,
  skipped: readonly string[],
): string[] {
  return [...new Set(skipped)].flatMap((id) => {
    const step = steps.find((one) => one.id === id)
    if (!step) return [`${id}: the run has no such step; it has ${steps.map((one) => one.id).join(', ')}`]
    if (taken.has(id)) return [`${id}: it is over and not carried out again`]
    if (step.type === 'approval') return [`${id}: an approval is decided about: approve it when it asks`]
    const next = steps.find((one) => begunBy(steps, one) === id && !taken.has(one.id) && !skipped.includes(one.id))
    return next ? [`${id}: ${next.id} goes on with it; skip that as well`] : []
  })
}
