export const behaviours = ['healthy', 'crash', 'pull-error', 'unhealthy', 'hang', 'no-capacity'] as const
/** Simulated behaviour of tasks with an image. */
export type Behaviour = (typeof behaviours)[number]
