import { and, count, gt, isNotNull } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { type PeriodicTask, startPeriodicTask } from '../../../platform/rounds.ts'
import { deployments } from '../store/tables.ts'
import { later } from './state.ts'

/**
 * Returns the minimum interval between two polls of each deployment of an organization that waits for users, in
 * milliseconds.
 */
export type CrowdInterval = (organizationId: string) => number

/**
 * Maximum number of polls per second of all paused deployments of an organization. Each poll costs 4 ms of processor
 * time and a share of the account's rate limit. Limited by organization, so that one cannot slow down the polls of
 * another.
 */
const maxPollsPerSecond = 12
/** Minimum time until the next poll for a deployment to count as waiting for a user, in milliseconds. */
const minWaitMs = 60_000

/**
 * Returns the polling interval, in milliseconds, at which this many deployments are polled `maxPollsPerSecond` times
 * a second in total.
 */
export const crowdMsOf = (waiting: number): number => (waiting / maxPollsPerSecond) * 1_000

/** Starts a periodic count of the waiting deployments of each organization. */
export function startCountingCrowds(
  { db, clock }: { db: Db; clock: () => Date },
  everyMs = 60_000,
): PeriodicTask & { crowdMs: CrowdInterval } {
  let waiting = new Map<string, number>()
  const round = async () => {
    waiting = await countWaiting(db, clock())
  }
  // After a failed query the last counts remain; other code reports that the database does not answer.
  const rounds = startPeriodicTask(round, { everyMs, onError: () => {} })
  return { ...rounds, crowdMs: (organizationId) => crowdMsOf(waiting.get(organizationId) ?? 0) }
}

/** Counts waiting deployments by organization, using the index of wake-ups. */
async function countWaiting(db: Db, now: Date): Promise<Map<string, number>> {
  const { organizationId, wakeAt } = deployments
  const counted = await db
    .select({ organizationId, waiting: count() })
    .from(deployments)
    .where(and(isNotNull(wakeAt), gt(wakeAt, later(now, minWaitMs))))
    .groupBy(organizationId)
  return new Map(counted.map((one) => [one.organizationId, one.waiting]))
}
