import { type Connected, claimDue, moveLookAt } from '../../cloud/cloud-accounts/connections.ts'
import type { Db } from '../../platform/db/open.ts'
import { type Rounds, startRounds } from '../../platform/rounds.ts'
import { later } from '../deployments/execution/state.ts'
import { type LookParts, lookThrough } from './look.ts'

/** `db` sees the accounts of all organizations, of which some are due; the rest is done as one of them. */
type RoundParts = LookParts & {
  ofOrganization: (organizationId: string) => Db
  /** How often each account is looked through. Milliseconds of the clock. */
  everyMs: number
}

/** So many accounts are looked through side by side. */
const sideBySide = 5

/** Looks through the accounts that are due; how many there were. */
export async function lookThroughDue(parts: RoundParts): Promise<number> {
  for (let looked = 0; ; ) {
    if (parts.stopping?.aborted) return looked
    const due = await claimDue(parts.db, 'lookAt', parts.clock(), sideBySide)
    if (due.length === 0) return looked
    await Promise.all(due.map((connected) => lookThroughOne(parts, connected)))
    looked += due.length
  }
}

async function lookThroughOne({ everyMs, ofOrganization, ...given }: RoundParts, connected: Connected): Promise<void> {
  const { id, status, organizationId } = connected.account
  const parts = { ...given, db: ofOrganization(organizationId) }
  const { db, clock, log } = parts
  // One that does not let us in is looked through when it does again.
  if (status === 'CONNECTED') {
    await lookThrough(parts, connected).catch((error) =>
      log.warn({ err: error, cloudAccountId: id }, 'an account could not be looked through; later again'),
    )
  }
  if (parts.stopping?.aborted) return // the claim ends soon
  // Those of many do not fall into step, and none waits longer than was promised.
  await moveLookAt(db, connected, later(clock(), everyMs * (0.8 + 0.15 * Math.random())))
}

/** The longest wait between two rounds, in which accounts may be due. Real milliseconds. */
const mostBetweenMs = 5_000

/** Looks through every connected account every `everyMs` until stopped. */
export function startLooks(parts: RoundParts): Rounds {
  const stopping = new AbortController()
  const rounds = startRounds(() => lookThroughDue({ ...parts, stopping: stopping.signal }), {
    everyMs: Math.min(mostBetweenMs, parts.everyMs / 2),
    onError: (error) => parts.log.warn({ err: error }, 'releases from outside could not be looked for; soon again'),
  })
  return {
    stop() {
      stopping.abort()
      return rounds.stop()
    },
  }
}
