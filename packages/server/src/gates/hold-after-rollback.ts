import type { HoldRule } from '@sluice/contract'
import { serviceAuthor } from '../identity/audit-events/author.ts'
import { recordChange } from '../identity/audit-events/record.ts'
import type { Db } from '../platform/db/open.ts'
import { insertFirstHold, isHeldByRollback } from './holds/store.ts'
import { recordWarnings } from './warnings.ts'

export { isRollbackOfDefect as isReturn } from './holds/machine.ts'
export { afterRollbackIn } from './holds/store.ts'

type Place = 'organizationId' | 'projectId' | 'environmentId' | 'moduleInstanceId'
type Returned = Record<Place | 'deploymentId' | 'reason', string>

/**
 * Creates a hold for an instance that was rolled back, because the next release may have the same defect. Creates at
 * most one until a user lifts it. A rule that only warns records what it would have held.
 */
export async function holdAfterRollback(
  tx: Db,
  { organizationId, ...made }: Returned,
  mode: HoldRule['mode'],
): Promise<void> {
  const author = serviceAuthor(organizationId)
  if (mode === 'WARN') {
    if (await isHeldByRollback(tx, made.moduleInstanceId)) return
    const warning = { rules: 'holds', resourceType: 'environment', resourceId: made.environmentId }
    return recordWarnings(tx, author, [{ ...warning, of: made, details: made }])
  }
  const hold = await insertFirstHold(tx, { organizationId, ...made, origin: 'ROLLBACK', heldBy: author.actorName })
  if (!hold) return
  const change = { action: 'holds.create', resourceType: 'hold', resourceId: hold.id, of: made, details: made }
  await recordChange(tx, author, change)
}
