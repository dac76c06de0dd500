import { type ApprovalQuestion, type Approvals, loadApprovals, rulesOfPolicies } from '../../../gates/approvals.ts'
import { gateRules } from '../../../gates/load.ts'
import type { Db } from '../../../platform/db/open.ts'
import { isRollback } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { approvalsOf } from './store.ts'

/** Returns when approval of the deployment was first requested, if it was. */
export const askedAtOf = ({ data: { approval } }: DeploymentRow): Date | undefined =>
  approval?.askedAt === undefined ? undefined : new Date(approval.askedAt)

/** Returns a deployment in the form in which approval rules and policies evaluate it. */
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

/** Evaluates the approval rules for a deployment, using its approvers and the teams that they belong to now. */
export const requiredApprovalsOf = (tx: Db, row: DeploymentRow): Promise<Approvals> =>
  loadApprovals(gateRules(tx, row.organizationId), approvalQuestionOf(tx, row, askedAtOf(row)))
