import type { DeploymentApproval } from '@sluice/contract'
import { demandToWire } from '../../../gates/approval-rules/asked.ts'
import { type Rule, reasonsInWords, whyNobodyCounts } from '../../../gates/approval-rules/machine.ts'
import { personOf } from '../../../gates/approval-rules/person.ts'
import { allApprovalRules } from '../../../gates/approval-rules/store.ts'
import { permissionsOn } from '../../../platform/auth/access.ts'
import type { Caller } from '../../../platform/auth/caller.ts'
import type { Db } from '../../../platform/db/open.ts'
import { present } from '../../../platform/present.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { askedAtOf, askedOf, guardedOf } from './asked.ts'
import type { ReleaseDigests } from './release-digest.ts'
import { approvalsOf } from './store.ts'

/** What is asked about a deployment that waits, by the rules as they are; of another, what was asked then. */
export async function approvalIn(
  db: Db,
  caller: Caller,
  row: DeploymentRow,
  { releaseDigests, now }: { releaseDigests: ReleaseDigests; now: Date },
): Promise<DeploymentApproval> {
  const approvals = await approvalsOf(db, row)
  const hasApproved = approvals.some(({ actorId }) => actorId === caller.membershipId)
  const told = { releaseDigest: releaseDigests.of(row.release), ...present({ askedAt: row.data.approval?.askedAt }) }
  if (row.status !== 'PENDING') {
    const caller = { mayDecide: false, reason: `It is ${row.status}.`, hasApproved }
    return { ...told, isAwaited: false, demands: row.data.approval?.demands ?? [], caller }
  }
  const rules = await allApprovalRules(db, caller.organizationId)
  const { demands, names } = await askedOf(db, row, rules, askedAtOf(row))
  const enforced = demands.filter(({ rule }) => rule.mode === 'ENFORCE')
  const reason =
    enforced.length === 0
      ? 'No approval rule asks about it.'
      : await whyNotCaller(db, caller, row, { rules: enforced.map(({ rule }) => rule), now })
  return {
    ...told,
    isAwaited: enforced.some(({ isMet }) => !isMet),
    demands: demands.map((demand) => demandToWire(demand, names)),
    caller: present({ mayDecide: reason === undefined, reason, hasApproved }),
  }
}

async function whyNotCaller(
  db: Db,
  caller: Caller,
  row: DeploymentRow,
  { rules, now }: { rules: readonly Rule[]; now: Date },
): Promise<string | undefined> {
  if (!permissionsOn(caller.access, row).has('approvals:write')) return 'Your roles do not let you approve there.'
  const reason = whyNobodyCounts(rules, await personOf(db, caller, now), guardedOf(row))
  return reason && reasonsInWords[reason]
}
