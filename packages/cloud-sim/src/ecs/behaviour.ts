export const behaviours = ['healthy', 'crash', 'pull-error', 'unhealthy', 'hang', 'no-capacity'] as const
/** What becomes of a task that runs an image. */
export type Behaviour = (typeof behaviours)[number]
