import { failures, type Role, roles } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import type { ApprovalConfig } from '../../pipeline-versions/config/schema.ts'
import type { Decision, PipelineRunRow } from '../../pipelines/tables.ts'
import { ended, type Step } from '../attempt.ts'

/** That no rule which is enforced asks about a step; or that one does, and how long it waits for approval at most. */
export type Ruling = 'free' | { withinSeconds: number }

/** How long a decision is waited for where the config does not say: a week. Seconds. */
const usualTimeoutSeconds = 604_800

/**
 * Asks for a decision, or takes it where the run was started with its approvals given; a rule that is enforced asks for
 * them all the same.
 */
export function asked(
  step: Step,
  config: ApprovalConfig | 'by-rule',
  message: string | undefined,
  run: Pick<PipelineRunRow, 'isAutoApproved' | 'triggeredBy'>,
  ruling: Ruling,
  now: Date,
): Step {
  const isByRule = config === 'by-rule'
  const { approvers, timeout_seconds = usualTimeoutSeconds, on_timeout = 'reject' } = isByRule ? {} : config
  if (run.isAutoApproved && ruling === 'free') {
    const comment = 'Given with the start of the run.'
    return approved(step, { approved: true, by: run.triggeredBy, at: now.toISOString(), comment })
  }
  const seconds = Math.min(timeout_seconds, ruling === 'free' ? timeout_seconds : ruling.withinSeconds)
  const expiresAt = new Date(now.getTime() + seconds * 1000).toISOString()
  const onTimeout = ruling === 'free' ? on_timeout : 'reject'
  const asked = present({ requestedAt: now.toISOString(), expiresAt, onTimeout, approvers })
  const approval = isByRule ? { ...asked, isByRule } : asked
  return {
    ...step,
    status: 'PENDING_APPROVAL',
    approval,
    statusDetail: { ...step.statusDetail, approval: present({ ...asked, message }) },
    waitingFor: 'somebody to decide',
  }
}

/** It queues again, now only for its turn. */
export const approved = (step: Step, decision: Decision): Step => ({
  ...step,
  status: 'QUEUED',
  queueReason: 'APPROVED',
  queueMetadata: {},
  decision,
  waitingFor: 'its turn',
})

/** A step about which only rules asked goes on when none does any more. */
export const unasked = (step: Step, now: Date): Step =>
  approvedBySluice(step, 'No approval rule asks about it any more.', now)

/** A step that only lets plans without changes be applied needs no approver. */
export const approvedUnchanged = (step: Step, now: Date): Step =>
  approvedBySluice(step, 'The plan has no changes.', now)

/** An approval of no one: it adds no permissions. */
const approvedBySluice = (step: Step, comment: string, now: Date): Step =>
  approved(step, { approved: true, by: 'Sluice', at: now.toISOString(), comment })

/** Somebody turned it down. */
export const rejected = (step: Step, decision: Decision, now: Date): Step => ({
  ...ended(step, 'ERROR', now, {
    error: present({
      code: failures.stepRejected.code,
      message: `${decision.by} turned the step down.`,
      description: decision.comment,
    }),
  }),
  decision,
})

/** Whether it waits for a decision that can no longer be taken. */
export const isApprovalExpired = ({ status, approval }: Step, now: Date): boolean =>
  status === 'PENDING_APPROVAL' && approval !== null && new Date(approval.expiresAt) <= now

/** Whether the config takes silence for an approval; rules may know better. */
export const isApprovedBySilence = ({ approval }: Step): boolean => approval?.onTimeout === 'approve'

/** Nobody decided in time. */
export function timedOutApproval(step: Step, ruling: Ruling, now: Date): Step {
  if (isApprovedBySilence(step) && ruling === 'free') {
    return approvedBySluice(step, 'Nobody decided in time, which approves it.', now)
  }
  const error = {
    code: failures.approvalExpired.code,
    message: `Nobody decided about the step ${step.stepName} by ${step.approval?.expiresAt}.`,
    description: 'Run the pipeline again, or give the approval more time with approval.timeout_seconds.',
  }
  return ended(step, 'ERROR', now, { error })
}

/** Whether the caller is one of those who may decide: by email, or by having the role or one above it. */
export function canDecide({ email, role }: { email: string; role: Role }, approvers: readonly string[]): boolean {
  const atMost: readonly string[] = roles.slice(0, roles.indexOf(role) + 1)
  return approvers.some((one) => one.toLowerCase() === email.toLowerCase() || atMost.includes(one.toUpperCase()))
}

/** What templates read of a step that only waited for a decision. */
export const outputOf = ({ decision }: Step): Record<string, unknown> => ({ ...decision })
