/** Strategy of a module's `deploy.strategy`. Bake times last a minute of cloud time. */
type Strategy = { type: string; [key: string]: unknown }

export const blueGreen: Strategy = { type: 'blue_green', bake_time_in_minutes: 1 }

/** Four steps of 25 %. */
export const linear: Strategy = {
  type: 'linear',
  bake_time_in_minutes: 1,
  linear: { step_percentage: 25, step_bake_time_in_minutes: 1 },
}

export const canary: Strategy = {
  type: 'canary',
  bake_time_in_minutes: 1,
  canary: { canary_percent: 10, canary_bake_time_in_minutes: 1 },
}

/** Maximum pause timeout, fourteen days, so that only a decision or an advanced clock ends a pause. */
const maxPauseMinutes = 20_160

/** Returns the strategy with a pause at each of the stages. */
export const pausing = (
  strategy: Strategy,
  stages: string[],
  timeout: { timeout_in_minutes?: number; timeout_action?: 'ROLLBACK' | 'CONTINUE' } = {},
): Strategy => ({
  ...strategy,
  pause_stages: stages.map((stage) => ({ stage, timeout_in_minutes: maxPauseMinutes, ...timeout })),
})

/** Returns the strategy with a pause before every shift of production traffic. */
export const pausingBeforeShifts = (strategy: Strategy): Strategy => pausing(strategy, ['PRE_PRODUCTION_TRAFFIC_SHIFT'])
