import { failures, type Role, roles } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import type { ApprovalConfig } from '../../pipeline-versions/config/schema.ts'
import type { PipelineRunRow, StepDecision } from '../../pipelines/tables.ts'
import { endStep, type Step } from '../attempt.ts'

/** Whether an enforced approval rule applies to a step (`free` if none does), and its maximum waiting time. */
export type ApprovalRuleResult = 'free' | { withinSeconds: number }

/** Default timeout of an approval in seconds: one week. */
const defaultTimeoutSeconds = 604_800

/** Requests an approval, or grants it if the run was started with approvals. An enforced rule always requests it. */
export function requestApproval(
  step: Step,
  config: ApprovalConfig | 'by-rule',
  message: string | undefined,
  run: Pick<PipelineRunRow, 'isAutoApproved' | 'triggeredBy'>,
  ruling: ApprovalRuleResult,
  now: Date,
): Step {
  const isByRule = config === 'by-rule'
  const { approvers, timeout_seconds = defaultTimeoutSeconds, on_timeout = 'reject' } = isByRule ? {} : config
  if (run.isAutoApproved && ruling === 'free') {
    const comment = 'Given with the start of the run.'
    return approveStep(step, { approved: true, by: run.triggeredBy, at: now.toISOString(), comment })
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
    waitingFor: 'a decision',
  }
}

/** Queues the step again after its approval. */
export const approveStep = (step: Step, decision: StepDecision): Step => ({
  ...step,
  status: 'QUEUED',
  queueReason: 'APPROVED',
  queueMetadata: {},
  decision,
  waitingFor: 'its turn',
})

/** Continues a step that waited only because of approval rules, when none applies any more. */
export const approveWithoutRule = (step: Step, now: Date): Step =>
  approveBySluice(step, 'No approval rule requires its approval any longer.', now)

/** Continues a step without an approver, because the plans that it applies have no changes. */
export const approveWithoutChanges = (step: Step, now: Date): Step =>
  approveBySluice(step, 'The plan has no changes.', now)

/** Approves a step on behalf of Sluice, which adds no permissions. */
const approveBySluice = (step: Step, comment: string, now: Date): Step =>
  approveStep(step, { approved: true, by: 'Sluice', at: now.toISOString(), comment })

/** Fails a step that an approver rejected. */
export const rejectStep = (step: Step, decision: StepDecision, now: Date): Step => ({
  ...endStep(step, 'ERROR', now, {
    error: present({
      code: failures.stepRejected.code,
      message: `${decision.by} turned the step down.`,
      description: decision.comment,
    }),
  }),
  decision,
})

/** Reports whether the approval of a step has expired. */
export const isApprovalExpired = ({ status, approval }: Step, now: Date): boolean =>
  status === 'PENDING_APPROVAL' && approval !== null && new Date(approval.expiresAt) <= now

/** Reports whether the config approves a step when its approval expires; approval rules can override this. */
export const approvesOnTimeout = ({ approval }: Step): boolean => approval?.onTimeout === 'approve'

/** Applies the expiry of an approval. */
export function expireApproval(step: Step, ruling: ApprovalRuleResult, now: Date): Step {
  if (approvesOnTimeout(step) && ruling === 'free') {
    return approveBySluice(step, 'No one decided in time, so it was approved.', now)
  }
  const error = {
    code: failures.approvalExpired.code,
    message: `No one decided about the step ${step.stepName} by ${step.approval?.expiresAt}.`,
    description: 'Run the pipeline again, or give the approval more time with approval.timeout_seconds.',
  }
  return endStep(step, 'ERROR', now, { error })
}

/** Reports whether the caller is an approver: by email, or by having at least the role. */
export function canDecide({ email, role }: { email: string; role: Role }, approvers: readonly string[]): boolean {
  const atMost: readonly string[] = roles.slice(0, roles.indexOf(role) + 1)
  return approvers.some((one) => one.toLowerCase() === email.toLowerCase() || atMost.includes(one.toUpperCase()))
}

/** Returns the output of an approval step for templates. */
export const outputOf = ({ decision }: Step): Record<string, unknown> => ({ ...decision })
