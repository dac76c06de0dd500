import type { StepApproval } from '@sluice/contract'
import { findCallerIneligibility, reasonsInWords, representDemands, unmetRequirements } from '../../gates/approvals.ts'
import { permissionsOn } from '../../platform/auth/access.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { withAllScopesVisible } from '../../platform/db/organization.ts'
import { present } from '../../platform/present.ts'
import { canDecide, isApprovalExpired } from '../pipeline-runs/gates/approval.ts'
import { scopesOfApproval } from '../pipeline-runs/gates/approval-scopes.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { requiredApprovalsOfStep, type StepApprovals } from './required.ts'
import type { StepApprovalRow } from './tables.ts'

/** Returns the approvals that a waiting step requires by the current rules. */
export async function approvalOfStep(
  db: Db,
  caller: Caller,
  step: PipelineStepExecutionRow,
  now: Date,
): Promise<StepApproval> {
  const isWaiting = step.status === 'PENDING_APPROVAL' && !isApprovalExpired(step, now)
  const asked = isWaiting ? await requiredApprovalsOfStep(db, step, { now }) : undefined
  const { approvals = [] } = asked ?? {}
  const reason = isWaiting ? await whyNotCaller(db, caller, { step, asked, now }) : 'It is not waiting for approval.'
  return {
    isPending: asked !== undefined && unmetRequirements(asked).length > 0,
    requirements: asked ? representDemands(asked) : [],
    approvals: approvals.map(givenToWire),
    caller: present({
      canDecide: reason === undefined,
      reason,
      hasApproved: approvals.some(({ actorId }) => actorId === caller.membershipId),
    }),
  }
}

async function whyNotCaller(
  db: Db,
  caller: Caller,
  {
    step: { id, approval },
    asked,
    now,
  }: { step: PipelineStepExecutionRow; asked: StepApprovals | undefined; now: Date },
): Promise<string | undefined> {
  const { organizationId, access } = caller
  const scopes = await withAllScopesVisible(db, (tx) => scopesOfApproval(tx, organizationId, [id]))
  if (scopes.length === 0) return 'It was deleted a moment ago.'
  const isAllowed = scopes.every((scope) => permissionsOn(access, scope).has('approvals:write'))
  if (!isAllowed) return 'Your roles do not let you approve there.'
  if (approval?.approvers && !canDecide(caller, approval.approvers)) return 'The step names others who decide.'
  const reason = asked && (await findCallerIneligibility(db, caller, asked, now))
  return reason && reasonsInWords[reason]
}

const givenToWire = (row: StepApprovalRow): StepApproval['approvals'][number] =>
  present({
    createdAt: row.createdAt.toISOString(),
    actor: { type: row.actorType, id: row.actorId, name: row.actorName },
    onBehalfOf: row.onBehalfOf ?? undefined,
    comment: row.comment ?? undefined,
  })
