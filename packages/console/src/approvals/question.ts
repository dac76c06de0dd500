import type { Channel, PipelineStepExecution } from '@sluice/contract'

export type Question = {
  message: string
  requestedAt?: string
  expiresAt?: string
  onTimeout?: 'approve' | 'reject'
  approvers?: string[]
}

/** Returns the question of a step that waits for approval. */
export const questionOf = ({ statusDetail }: PipelineStepExecution): Question => ({
  message: 'Waiting for a decision.',
  ...(statusDetail?.approval as Partial<Question> | undefined),
})

/** Decision about a step. */
export type Decided = { approved: boolean; by: string; at: string; comment?: string; channel?: Channel }

export const decisionOf = ({ statusDetail }: PipelineStepExecution): Decided | undefined =>
  statusDetail?.decision as Decided | undefined
