import { type Connected, leaseDue, setNextDetection } from '../../cloud/cloud-accounts/connections.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PeriodicTask, startPeriodicTask } from '../../platform/rounds.ts'
import { later } from '../deployments/execution/state.ts'
import { type DetectionParts, detectInAccount } from './detect.ts'

/**
 * Dependencies of the periodic task. `db` has access to the accounts of all organizations, to find those that are due;
 * the rest runs in one organization.
 */
type RoundParts = DetectionParts & {
  ofOrganization: (organizationId: string) => Db
  /** Polling interval of each account, in milliseconds of the clock. */
  everyMs: number
}

/** Maximum number of accounts that are polled concurrently. */
const maxConcurrentAccounts = 5

/** Polls the accounts that are due, and returns their number. */
export async function detectInDueAccounts(parts: RoundParts): Promise<number> {
  for (let looked = 0; ; ) {
    if (parts.stopping?.aborted) return looked
    const due = await leaseDue(parts.db, 'lookAt', parts.clock(), maxConcurrentAccounts)
    if (due.length === 0) return looked
    await Promise.all(due.map((connected) => detectInOne(parts, connected)))
    looked += due.length
  }
}

async function detectInOne({ everyMs, ofOrganization, ...given }: RoundParts, connected: Connected): Promise<void> {
  const { id, status, organizationId } = connected.account
  const parts = { ...given, db: ofOrganization(organizationId) }
  const { db, clock, log } = parts
  // An account that cannot be accessed is polled again once it can.
  if (status === 'CONNECTED') {
    await detectInAccount(parts, connected).catch((error) =>
      log.warn(
        { err: error, cloudAccountId: id },
        'an account could not be searched for external deployments; retrying later',
      ),
    )
  }
  if (parts.stopping?.aborted) return // the lease expires soon
  // Random, to spread the accounts, and always less than the configured interval.
  await setNextDetection(db, connected, later(clock(), everyMs * (0.8 + 0.15 * Math.random())))
}

/** Maximum interval at which the task looks for due accounts, in real milliseconds. */
const maxIntervalMs = 5_000

/** Starts a periodic task that polls every connected account every `everyMs`. */
export function startDetection(parts: RoundParts): PeriodicTask {
  const stopping = new AbortController()
  const rounds = startPeriodicTask(() => detectInDueAccounts({ ...parts, stopping: stopping.signal }), {
    everyMs: Math.min(maxIntervalMs, parts.everyMs / 2),
    onError: (error) => parts.log.warn({ err: error }, 'releases from outside could not be looked for; soon again'),
  })
  return {
    stop() {
      stopping.abort()
      return rounds.stop()
    },
  }
}
