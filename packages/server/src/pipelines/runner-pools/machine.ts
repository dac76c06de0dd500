import type { RunnerStatus } from '@sluice/contract'

/** A runner asks for work at least every 30 s, and after its attempts far more often. Milliseconds. */
const heardOfWithinMs = 60_000

export const statusOf = (lastSeenAt: Date, now: Date): RunnerStatus =>
  now.getTime() - lastSeenAt.getTime() <= heardOfWithinMs ? 'ONLINE' : 'OFFLINE'
