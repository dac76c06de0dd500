/** The engine's objects of this feature. `target` is keyed by module instance id, `deployment` by deployment id. */
export const targetService = 'target'
export const deploymentService = 'deployment'

/** What a wake-up carries: the number it was set under, or nothing when something happened that calls for a look. */
export type WakeUp = { seq?: number }
