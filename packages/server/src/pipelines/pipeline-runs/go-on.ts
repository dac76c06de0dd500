import { isAsking, isHandedOver, type Scheduled, schedule, usualLimits } from './machine.ts'
import type { RunInWork } from './store.ts'

/**
 * What becomes of a run when one of its steps has ended, where that is only that others go on: what is handed over
 * waits for nobody, and is written with the end of the step. Undefined for all that is for a look at the run (templates
 * to render, which may fail; somebody, a freeze or a rule to ask; an end, which others wait for), so that no tenant's
 * configuration keeps an attempt from being settled. Pure.
 */
export function goneOn(
  { run, steps, config, isRuled, hasStepRules }: RunInWork,
  { engineRunId, hasSharedRunners, now }: { engineRunId: string; hasSharedRunners: boolean; now: Date },
): Scheduled | undefined {
  if (run.status !== 'IN_PROGRESS' || run.cancelRequest) return undefined
  const limits = { ...usualLimits, hasSharedRunners }
  const nothingAsked = {
    verdicts: new Map(),
    ...(isRuled && { clearances: new Map() }),
    ...(hasStepRules && { rulings: new Map() }),
  }
  const next = schedule({ run, steps, config, ...nothingAsked, engineRunId, limits, now })
  const isPlain = next.steps.every(
    (step, index) => step === steps[index] || (isHandedOver(step) && step.decision === steps[index]?.decision),
  )
  return isPlain && !isAsking(next) && next.run.status === 'IN_PROGRESS' ? next : undefined
}
