/** The engine's objects of runs and their steps: `run` is keyed by run id, `step` by step execution id. */
export const runService = 'run'
export const stepService = 'step'
