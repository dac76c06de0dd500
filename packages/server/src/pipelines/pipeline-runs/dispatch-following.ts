import { defaultLimits, isDispatched, needsInput, type Scheduled, schedule } from './machine.ts'
import type { LockedRun } from './store.ts'

/**
 * Returns the run after the end of a step if the only effect is that other steps can be dispatched, which is stored
 * together with that end. Returns undefined if a pass over the run is needed (templates, approvals, gates, or the end
 * of the run), so that no configuration can prevent the end of an attempt from being stored. Has no side effects.
 */
export function dispatchFollowing(
  { run, steps, config, isRuled, hasStepRules }: LockedRun,
  { engineRunId, hasSharedRunners, now }: { engineRunId: string; hasSharedRunners: boolean; now: Date },
): Scheduled | undefined {
  if (run.status !== 'IN_PROGRESS' || run.cancelRequest) return undefined
  const limits = { ...defaultLimits, hasSharedRunners }
  const nothingAsked = {
    verdicts: new Map(),
    ...(isRuled && { clearances: new Map() }),
    ...(hasStepRules && { rulings: new Map() }),
  }
  const next = schedule({ run, steps, config, ...nothingAsked, engineRunId, limits, now })
  const isPlain = next.steps.every(
    (step, index) => step === steps[index] || (isDispatched(step) && step.decision === steps[index]?.decision),
  )
  return isPlain && !needsInput(next) && next.run.status === 'IN_PROGRESS' ? next : undefined
}
