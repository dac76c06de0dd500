import type { PipelineRunNotice } from '@sluice/contract'
import { requiredApprovalsOf } from '../../delivery/deployments/approvals/required.ts'
import { findDeployment } from '../../delivery/deployments/store/store.ts'
import { type Approvals, listEligibleApprovers, unmetRequirements } from '../../gates/approvals.ts'
import { canDecide } from '../../pipelines/pipeline-runs/gates/approval.ts'
import { scopesOfApproval } from '../../pipelines/pipeline-runs/gates/approval-scopes.ts'
import { findPipelineStepExecution } from '../../pipelines/pipeline-step-executions/store.ts'
import { requiredApprovalsOfVersion } from '../../pipelines/pipeline-versions/approvals.ts'
import { findPipelineVersion } from '../../pipelines/pipeline-versions/store.ts'
import { requiredApprovalsOfStep } from '../../pipelines/step-approvals/required.ts'
import { type Access, permissionsOn, type Scope } from '../../platform/auth/access.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Event } from '../notification-deliveries/machine.ts'
import type { Member } from './store.ts'

/** Member with the access that their roles grant. */
export type MemberWithAccess = Member & { access: Access }

/** Returns the members who can give the approval that an event requests; none if it is no longer pending. */
export async function approversOf(
  tx: Db,
  organizationId: string,
  { event, members, now }: { event: Event; members: readonly MemberWithAccess[]; now: Date },
): Promise<ReadonlySet<string>> {
  const asked = await approvalFor(tx, organizationId, event, now)
  if (!asked) return new Set()
  const { scopes, approvals, approvers } = asked
  const able = members.filter(
    ({ access, email, role }) =>
      scopes.every((scope) => permissionsOn(access, scope).has('approvals:write')) &&
      (approvers === undefined || canDecide({ email, role }, approvers)),
  )
  const people = able.map(({ id, email: name }) => ({ type: 'MEMBERSHIP', id, name, at: now }) as const)
  return listEligibleApprovers(tx, organizationId, people, approvals)
}

type PendingApproval = {
  scopes: readonly Scope[]
  /** Approvals that rules still require. Without rules, everyone with the permission can decide. */
  approvals: Approvals | undefined
  /** Approvers that the step names, if any. */
  approvers: readonly string[] | undefined
}

async function approvalFor(
  tx: Db,
  organizationId: string,
  event: Event,
  now: Date,
): Promise<PendingApproval | undefined> {
  const { step, pipelineVersionId, project } = event.payload.data as Partial<PipelineRunNotice>
  if (step) return approvalForStep(tx, organizationId, step.id, now)
  if (pipelineVersionId !== undefined && project)
    return approvalForVersion(tx, organizationId, { id: pipelineVersionId, projectId: project.id })
  return approvalForDeployment(tx, organizationId, event.recordId)
}

async function approvalForDeployment(tx: Db, organizationId: string, id: string): Promise<PendingApproval | undefined> {
  const row = await findDeployment(tx, organizationId, id)
  if (row?.status !== 'PENDING') return undefined
  const approvals = await requiredApprovalsOf(tx, row)
  return unmetRequirements(approvals).length === 0 ? undefined : { scopes: [row], approvals, approvers: undefined }
}

async function approvalForStep(
  tx: Db,
  organizationId: string,
  id: string,
  now: Date,
): Promise<PendingApproval | undefined> {
  const step = await findPipelineStepExecution(tx, organizationId, id)
  if (step?.status !== 'PENDING_APPROVAL') return undefined
  return {
    scopes: await scopesOfApproval(tx, organizationId, [id]),
    approvals: await requiredApprovalsOfStep(tx, step, { now }),
    approvers: step.approval?.approvers,
  }
}

async function approvalForVersion(
  tx: Db,
  organizationId: string,
  { id, projectId }: { id: string; projectId: string },
): Promise<PendingApproval | undefined> {
  const version = await findPipelineVersion(tx, organizationId, id)
  const approvals = version && (await requiredApprovalsOfVersion(tx, version))
  if (!approvals || unmetRequirements(approvals).length === 0) return undefined
  return { scopes: [{ projectId }], approvals, approvers: undefined }
}
