import type { RunnerStatus } from '@sluice/contract'

/**
 * Time without a request after which a runner counts as offline, in milliseconds. It sends a lease request at least
 * every 30 s, and heartbeats far more often.
 */
export const onlineTimeoutMs = 60_000

export const statusOf = (lastSeenAt: Date, now: Date): RunnerStatus =>
  now.getTime() - lastSeenAt.getTime() <= onlineTimeoutMs ? 'ONLINE' : 'OFFLINE'

/** Time without a request after which a runner is deleted, in milliseconds. */
export const deletedAfterMs = 30 * 86_400_000

/**
 * Resolution in milliseconds of the time at which a runner was last seen, because a write for each request would be
 * most of its cost.
 */
export const seenEveryMs = 10_000
