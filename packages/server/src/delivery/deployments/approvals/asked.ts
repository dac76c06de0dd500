import { type Asked, demandsWith } from '../../../gates/approval-rules/asked.ts'
import type { Guarded, Rule } from '../../../gates/approval-rules/machine.ts'
import { rulesOfPolicies } from '../../../gates/policies/asks.ts'
import type { Db } from '../../../platform/db/open.ts'
import { isRollback } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { approvalsOf } from './store.ts'

/** A deployment as rules see it. */
export const guardedOf = (row: DeploymentRow): Guarded => ({
  what: ['DEPLOYMENTS'],
  places: [row],
  isRollback: isRollback(row),
  starter: { id: row.triggeredById, name: row.data.triggeredBy },
  authors: row.data.authors ?? [],
})

/** When it was first asked about, unless it was not yet. */
export const askedAtOf = ({ data: { approval } }: DeploymentRow): Date | undefined =>
  approval?.askedAt === undefined ? undefined : new Date(approval.askedAt)

/**
 * What the rules of its organization, and the policies that it was judged by, ask of a deployment, by who has approved
 * it and in which teams those are now.
 */
export const askedOf = (
  tx: Db,
  row: DeploymentRow,
  ofOrganization: readonly Rule[],
  askedAt: Date | undefined,
): Promise<Asked> => {
  const { organizationId } = row
  const rules = [...ofOrganization, ...rulesOfPolicies(row.data.policies ?? [], ['DEPLOYMENTS'])]
  const approvals = () => approvalsOf(tx, row)
  return demandsWith(tx, { organizationId, rules, guarded: guardedOf(row), approvals, askedAt })
}
