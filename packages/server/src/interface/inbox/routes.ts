import { type Inbox, routes } from '@sluice/contract'
import type { ReleaseDigests } from '../../delivery/deployments/approvals/release-digest.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { momentOf } from '../../platform/http/moments.ts'
import { pendingDecisions, recentFailures } from './items.ts'
import { findSeenUntil, saveSeenUntil } from './store.ts'

type Parts = { releaseDigests: ReleaseDigests; clock: () => Date }

/** Default age in milliseconds of failures that count as new for a member without a read position. */
const maxNewAgeMs = 7 * 86_400_000

export function serveInbox(app: App, { releaseDigests, clock }: Parts): void {
  const inboxOf = async (db: Db, caller: Caller): Promise<Inbox> => {
    // Read before the rows, so that a failure in between stays new.
    const now = clock()
    const seenUntil = (await findSeenUntil(db, caller)) ?? new Date(now.getTime() - maxNewAgeMs)
    return {
      waiting: await pendingDecisions({ db, caller, releaseDigests, now }),
      failed: await recentFailures(db, caller.organizationId, seenUntil),
      seenUntil: seenUntil.toISOString(),
      readAt: now.toISOString(),
    }
  }

  handle(app, routes.getInbox, async ({ caller, db }) => ({ data: await inboxOf(db, caller) }))

  handle(app, routes.updateInbox, (call) => {
    const { body, caller, db } = call
    const { membershipId, principalType } = caller
    if (principalType !== 'MEMBERSHIP')
      throw new ApiError('forbidden', 'Only members of the organization have an inbox.')
    const given = momentOf('seenUntil', body.data.seenUntil)
    return db.transaction(async (tx) => {
      const seenUntil = new Date(Math.min(given.getTime(), clock().getTime()))
      await saveSeenUntil(tx, caller, seenUntil)
      const change = { action: 'inbox.update', resourceType: 'membership', resourceId: membershipId }
      await recordChange(tx, call, { ...change, details: { seenUntil: seenUntil.toISOString() } })
      return { data: await inboxOf(tx, caller) }
    })
  })
}
