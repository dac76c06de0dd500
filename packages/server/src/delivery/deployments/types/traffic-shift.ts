import type { PauseStage } from '../../../cloud/facts/pause-stage.ts'
import { present } from '../../../platform/present.ts'

/** Strategy of a deploy block, with defaults filled in. */
type StrategyBlock = {
  type: string
  linear: { step_percentage: number; step_bake_time_in_minutes: number }
  canary: { canary_percent: number; canary_bake_time_in_minutes: number }
  pause_stages: { stage: string; timeout_in_minutes: number; timeout_action: PauseStage['timeoutAction'] }[]
}

/** Returns the steps of the strategy type that has steps. */
export const stepsOf = ({ type, linear, canary }: StrategyBlock) =>
  present({
    linear:
      type === 'linear'
        ? { stepPercent: linear.step_percentage, stepBakeTimeInMinutes: linear.step_bake_time_in_minutes }
        : undefined,
    canary:
      type === 'canary'
        ? { canaryPercent: canary.canary_percent, canaryBakeTimeInMinutes: canary.canary_bake_time_in_minutes }
        : undefined,
  })

export const pausesOf = ({ pause_stages }: StrategyBlock): PauseStage[] =>
  pause_stages.map(({ stage, timeout_in_minutes, timeout_action }) => ({
    stage,
    timeoutInMinutes: timeout_in_minutes,
    timeoutAction: timeout_action,
  }))
