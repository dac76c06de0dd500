/** The engine's objects of this feature. `run` is keyed by pipeline run id, `step` by step execution id. */
export const runService = 'run'
export const stepService = 'step'

/** What a wake-up carries: the number it was set under, or nothing when something happened that calls for a look. */
export type WakeUp = { seq?: number }
