import type { Db } from '../../../platform/db/open.ts'
import { type Asked, demandsWith } from '../../approval-rules/asked.ts'
import type { Guarded, Rule } from '../../approval-rules/machine.ts'
import { isRollback } from '../store.ts'
import type { DeploymentRow } from '../tables.ts'
import { approvalsOf } from './store.ts'

/** A deployment as rules see it. */
export const guardedOf = (row: DeploymentRow): Guarded => ({
  what: 'DEPLOYMENTS',
  places: [row],
  isRollback: isRollback(row),
  starter: { id: row.triggeredById, name: row.data.triggeredBy },
})

/** When it was first asked about, unless it was not yet. */
export const askedAtOf = ({ data: { approval } }: DeploymentRow): Date | undefined =>
  approval?.askedAt === undefined ? undefined : new Date(approval.askedAt)

/** What the rules of its organization ask of a deployment, by who has approved it and in which teams those are now. */
export const askedOf = (
  tx: Db,
  row: DeploymentRow,
  rules: readonly Rule[],
  askedAt: Date | undefined,
): Promise<Asked> => {
  const { organizationId } = row
  const approvals = () => approvalsOf(tx, row)
  return demandsWith(tx, { organizationId, rules, guarded: guardedOf(row), approvals, askedAt })
}
