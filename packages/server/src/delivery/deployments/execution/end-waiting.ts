import type { UserFacingError } from '@sluice/contract'
import { serviceAuthor } from '../../../identity/audit-events/author.ts'
import { recordChange } from '../../../identity/audit-events/record.ts'
import type { Db } from '../../../platform/db/open.ts'
import { saveState } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { typeOf } from '../types/deployment-types.ts'
import { decisionMade } from './decisions.ts'
import { type DeploymentState, finish } from './state.ts'

/** Ends a queued deployment with a reason, and returns its new state. */
export async function endQueuedDeployment(
  tx: Db,
  row: DeploymentRow,
  error: UserFacingError,
  now: Date,
): Promise<DeploymentRow> {
  const noted: DeploymentState = typeOf(row).note(row, 'CANCELLED', now, { message: error.message })
  const saved = await saveState(tx, row, finish<DeploymentState>(noted, 'CANCELLED', now, error))
  if (saved) await recordChange(tx, serviceAuthor(row.organizationId), decisionMade('deployments.end', row, saved))
  return saved ?? row
}
