import { demandToWire } from '../../../gates/approval-rules/asked.ts'
import { inWords, outcomeOf, type Rule } from '../../../gates/approval-rules/machine.ts'
import { recordApprovalWarnings } from '../../../gates/warnings.ts'
import type { Db } from '../../../platform/db/open.ts'
import { present } from '../../../platform/present.ts'
import { endWaiting } from '../execution/end-waiting.ts'
import { notApproved } from '../execution/failures.ts'
import { waitFor } from '../execution/wait-for.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { askedAtOf, askedOf } from './asked.ts'

/** A deployment that may start, with what it was asked; or one that must not yet, as it waits or has ended. */
export type Approved = { may: 'start' | 'wait' | 'end'; row: DeploymentRow }

/**
 * Keeps a deployment that nothing else keeps any more until enough have approved it, or it waited too long for them.
 */
export async function untilApproved(tx: Db, row: DeploymentRow, rules: readonly Rule[], now: Date): Promise<Approved> {
  const asked = askedAtOf(row)
  const { demands, names } = await askedOf(tx, row, rules, asked ?? now)
  if (demands.length === 0 && !row.data.approval) return { may: 'start', row }
  const result = outcomeOf(demands, now)
  const askedAt = result.outcome === 'free' ? asked : (asked ?? now)
  const kept = demands.map((demand) => demandToWire(demand, names))
  const approval = present({ askedAt: askedAt?.toISOString(), demands: kept })
  const telling: DeploymentRow = { ...row, data: { ...row.data, approval } }
  switch (result.outcome) {
    case 'free': {
      const { id: deploymentId, moduleInstanceId } = row
      await recordApprovalWarnings(tx, row.organizationId, demands, { deploymentId, moduleInstanceId })
      return { may: 'start', row: telling }
    }
    case 'waits': {
      const open = result.open.map((demand) => inWords(demand, names)).join('; and for ')
      const wayOut = `Who is asked can approve it: POST /deployments/${row.id}/approve.`
      const message = `It waits for approval: ${open}. ${wayOut}`
      const wish = { message, until: result.until, end: 'approval' }
      return { may: 'wait', row: await waitFor(tx, telling, wish, now) }
    }
    case 'expired': {
      const error = notApproved(inWords(result.demand, names))
      return { may: 'end', row: await endWaiting(tx, telling, error, now) }
    }
  }
}
