import type { HoldRule } from '@sluice/contract'
import { insertFirstHold, isHeldByRollback } from '../../../gates/holds/store.ts'
import { theService } from '../../../identity/audit-events/author.ts'
import { recordChange } from '../../../identity/audit-events/record.ts'
import type { Db } from '../../../platform/db/open.ts'
import { isRollback } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'

/**
 * Holds the instance of a deployment by which it is back at an earlier release: what comes next may have the same
 * fault. Once, until somebody lets it go. A rule that only warns is known by what it would have held.
 */
export async function holdAfterRollback(tx: Db, row: DeploymentRow, mode: HoldRule['mode']): Promise<void> {
  const { id, organizationId, projectId, environmentId, moduleInstanceId } = row
  const reason = isRollback(row) ? `${id} returned to an earlier release.` : `The release ${id} was rolled back.`
  const made = { projectId, environmentId, moduleInstanceId, reason, deploymentId: id }
  const author = theService(organizationId)
  if (mode === 'WARN') {
    if (await isHeldByRollback(tx, moduleInstanceId)) return
    const change = { action: 'holds.warn', resourceType: 'environment', resourceId: environmentId, of: made }
    return recordChange(tx, author, { ...change, details: made })
  }
  const hold = await insertFirstHold(tx, { organizationId, ...made, origin: 'ROLLBACK', heldBy: author.actorName })
  if (!hold) return
  const change = { action: 'holds.create', resourceType: 'hold', resourceId: hold.id, of: made, details: made }
  await recordChange(tx, author, change)
}
