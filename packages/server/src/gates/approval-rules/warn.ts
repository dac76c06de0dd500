import { theService } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Demand } from './machine.ts'

/** A rule that only warns is known by what it would have asked for. `of`: what went on without it, by its ids. */
export async function noteUnasked(
  tx: Db,
  organizationId: string,
  demands: readonly Demand[],
  of: { [record: string]: string | undefined },
): Promise<void> {
  for (const { rule, given, isMet } of demands) {
    if (rule.mode !== 'WARN' || isMet) continue
    const details = { name: rule.name, requiredApprovals: rule.requiredApprovals, given, ...of }
    const change = { action: 'approval-rules.warn', resourceType: 'approval-rule', resourceId: rule.id, details }
    await recordChange(tx, theService(organizationId), change)
  }
}
