import { type ApprovalQuestion, type Approvals, loadApprovals, rulesOfPolicies } from '../../../gates/approvals.ts'
import { gateRules } from '../../../gates/load.ts'
import type { Db } from '../../../platform/db/open.ts'
import { isRollback } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { approvalsOf } from './store.ts'

/** When it was first asked about, unless it was not yet. */
export const askedAtOf = ({ data: { approval } }: DeploymentRow): Date | undefined =>
  approval?.askedAt === undefined ? undefined : new Date(approval.askedAt)

/** A deployment as approval rules, and the policies that were evaluated about it, ask about it. */
export const approvalQuestionOf = (tx: Db, row: DeploymentRow, askedAt: Date | undefined): ApprovalQuestion => ({
  guarded: {
    what: ['DEPLOYMENTS'],
    places: [row],
    isRollback: isRollback(row),
    starter: { id: row.triggeredById, name: row.data.triggeredBy },
    authors: row.data.authors ?? [],
  },
  ofPolicies: rulesOfPolicies(row.data.policies ?? [], ['DEPLOYMENTS']),
  given: () => approvalsOf(tx, row),
  askedAt,
})

/** What is asked about a deployment, by who has approved it and in which teams those are now. */
export const askedOf = (tx: Db, row: DeploymentRow): Promise<Approvals> =>
  loadApprovals(gateRules(tx, row.organizationId), approvalQuestionOf(tx, row, askedAtOf(row)))
