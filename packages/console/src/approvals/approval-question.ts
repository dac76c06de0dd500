import type { Channel, PipelineStepExecution } from '@sluice/contract'

export type ApprovalQuestion = {
  message: string
  requestedAt?: string
  expiresAt?: string
  onTimeout?: 'approve' | 'reject'
  approvers?: string[]
}

/** Returns the question of a step that waits for approval. */
export const approvalQuestion = ({ statusDetail }: PipelineStepExecution): ApprovalQuestion => ({
  message: 'Waiting for a decision.',
  ...(statusDetail?.approval as Partial<ApprovalQuestion> | undefined),
})

/** Decision about a step. */
export type ApprovalDecision = { approved: boolean; by: string; at: string; comment?: string; channel?: Channel }

export const approvalDecision = ({ statusDetail }: PipelineStepExecution): ApprovalDecision | undefined =>
  statusDetail?.decision as ApprovalDecision | undefined
