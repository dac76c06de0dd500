import type { DeploymentApproval } from '@sluice/contract'
import {
  type Approvals,
  enforcedRequirements,
  findCallerIneligibility,
  reasonsInWords,
  representDemands,
  unmetRequirements,
} from '../../../gates/approvals.ts'
import { permissionsOn } from '../../../platform/auth/access.ts'
import type { Caller } from '../../../platform/auth/caller.ts'
import type { Db } from '../../../platform/db/open.ts'
import { present } from '../../../platform/present.ts'
import type { DeploymentRow } from '../store/tables.ts'
import type { ReleaseDigests } from './release-digest.ts'
import { requiredApprovalsOf } from './required.ts'
import { approvalsOf } from './store.ts'

/**
 * Returns the approval requirements of a deployment: by the current rules while it waits, otherwise those that applied
 * at the time.
 */
export async function approvalIn(
  db: Db,
  caller: Caller,
  row: DeploymentRow,
  { releaseDigests, now }: { releaseDigests: ReleaseDigests; now: Date },
): Promise<DeploymentApproval> {
  const approvals = await approvalsOf(db, row)
  const hasApproved = approvals.some(({ actorId }) => actorId === caller.membershipId)
  const told = {
    releaseDigest: releaseDigests.of(row.release),
    ...present({ requestedAt: row.data.approval?.askedAt }),
  }
  if (row.status !== 'PENDING') {
    const caller = { canDecide: false, reason: `It is ${row.status}.`, hasApproved }
    return { ...told, isPending: false, requirements: row.data.approval?.demands ?? [], caller }
  }
  const asked = await requiredApprovalsOf(db, row)
  const reason =
    enforcedRequirements(asked).length === 0
      ? 'No approval rule asks about it.'
      : await whyNotCaller(db, caller, { row, asked, now })
  return {
    ...told,
    isPending: unmetRequirements(asked).length > 0,
    requirements: representDemands(asked),
    caller: present({ canDecide: reason === undefined, reason, hasApproved }),
  }
}

async function whyNotCaller(
  db: Db,
  caller: Caller,
  { row, asked, now }: { row: DeploymentRow; asked: Approvals; now: Date },
): Promise<string | undefined> {
  if (!permissionsOn(caller.access, row).has('approvals:write')) return 'Your roles do not let you approve there.'
  const reason = await findCallerIneligibility(db, caller, asked, now)
  return reason && reasonsInWords[reason]
}
