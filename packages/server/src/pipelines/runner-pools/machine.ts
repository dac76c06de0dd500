import type { RunnerStatus } from '@sluice/contract'

/** A runner asks for work at least every 30 s, and after its attempts far more often. Milliseconds. */
export const heardOfWithinMs = 60_000

export const statusOf = (lastSeenAt: Date, now: Date): RunnerStatus =>
  now.getTime() - lastSeenAt.getTime() <= heardOfWithinMs ? 'ONLINE' : 'OFFLINE'

/** A runner that was not heard of for so long is forgotten. Milliseconds. */
export const forgottenAfterMs = 30 * 86_400_000

/** How exactly it is known when a runner was there: a write for each of its requests would be most of its cost. */
export const seenEveryMs = 10_000
