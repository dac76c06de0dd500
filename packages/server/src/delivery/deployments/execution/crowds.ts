import { and, count, gt, isNotNull } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { type Rounds, startRounds } from '../../../platform/rounds.ts'
import { deployments } from '../store/tables.ts'
import { later } from './state.ts'

/** How long each deployment of an organization that waits for people is left alone at the least. Milliseconds. */
export type CrowdMs = (organizationId: string) => number

/**
 * The pauses of an organization together are looked at so many times a second at the most, whatever their number: such
 * looks find nothing, but each costs some 4 ms of the processor and its part of the calls that an account of the cloud
 * allows. By organization, so that none has others' pauses looked at more seldom.
 */
const looksPerSecond = 12
/** What is looked at sooner is not of the crowd that waits for people. Milliseconds. */
const farAwayMs = 60_000

/** How long each of so many is left alone, for all of them together to be looked at `looksPerSecond` times a second. */
export const crowdMsOf = (waiting: number): number => (waiting / looksPerSecond) * 1_000

/** Follows from then on how many deployments of each organization wait. */
export function startFollowingCrowds(
  { db, clock }: { db: Db; clock: () => Date },
  everyMs = 60_000,
): Rounds & { crowdMs: CrowdMs } {
  let waiting = new Map<string, number>()
  const round = async () => {
    waiting = await countWaiting(db, clock())
  }
  // Where it cannot be known, it is as it was; a database that does not answer is told of by all that needs it.
  const rounds = startRounds(round, { everyMs, onError: () => {} })
  return { ...rounds, crowdMs: (organizationId) => crowdMsOf(waiting.get(organizationId) ?? 0) }
}

/** Finds them by the index of wake-ups. */
async function countWaiting(db: Db, now: Date): Promise<Map<string, number>> {
  const { organizationId, wakeAt } = deployments
  const counted = await db
    .select({ organizationId, waiting: count() })
    .from(deployments)
    .where(and(isNotNull(wakeAt), gt(wakeAt, later(now, farAwayMs))))
    .groupBy(organizationId)
  return new Map(counted.map((one) => [one.organizationId, one.waiting]))
}
