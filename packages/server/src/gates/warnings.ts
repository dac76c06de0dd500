import type { PolicyVerdict } from '@sluice/contract'
import { theService } from '../identity/audit-events/author.ts'
import { type Change, recordChange } from '../identity/audit-events/record.ts'
import type { Db } from '../platform/db/open.ts'
import type { Demand } from './approval-rules/machine.ts'
import { type Freezes, warning as freezesThatWarn, type Intent } from './freezes/machine.ts'
import { warning as verdictsThatWarn } from './policies/machine.ts'

/** The records that went on although a rule in the mode `WARN` would have stopped them, by the names of their ids. */
type Subject = { [record: string]: string | undefined }

/** Records in the audit log which freezes in the mode `WARN` would have stopped what is about to happen. */
export const recordFreezeWarnings = (
  tx: Db,
  organizationId: string,
  { known, intent }: { known: Freezes; intent: Intent },
  subject: Subject,
): Promise<void> =>
  record(
    tx,
    organizationId,
    freezesThatWarn(known, intent).map(({ freezeId, name }) => ({
      action: 'freezes.warn',
      resourceType: 'freeze',
      resourceId: freezeId,
      details: { name, act: intent.act, ...subject },
    })),
  )

/** Records in the audit log which approval rules in the mode `WARN` would have asked for approvals. */
export const recordApprovalWarnings = (
  tx: Db,
  organizationId: string,
  demands: readonly Demand[],
  subject: Subject,
): Promise<void> =>
  record(
    tx,
    organizationId,
    demands
      .filter(({ rule, isMet }) => rule.mode === 'WARN' && !isMet)
      .map(({ rule: { id, name, requiredApprovals }, given }) => ({
        action: 'approval-rules.warn',
        resourceType: 'approval-rule',
        resourceId: id,
        details: { name, requiredApprovals, given, ...subject },
      })),
  )

/** Records in the audit log which policies in the mode `WARN` would have stopped what is about to happen. */
export const recordPolicyWarnings = (
  tx: Db,
  organizationId: string,
  verdicts: readonly PolicyVerdict[],
  subject: Subject,
): Promise<void> =>
  record(
    tx,
    organizationId,
    verdictsThatWarn(verdicts).map(({ policyId, name, version, verdict, message }) => ({
      action: 'policies.warn',
      resourceType: 'policy',
      resourceId: policyId,
      details: { name, version, verdict, message, ...subject },
    })),
  )

async function record(tx: Db, organizationId: string, changes: readonly Change[]): Promise<void> {
  for (const change of changes) await recordChange(tx, theService(organizationId), change)
}
