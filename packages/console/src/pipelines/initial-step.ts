import type { PipelineStepExecution } from '@sluice/contract'

/** Statuses that most need attention, in order. */
const statusPriority = ['PENDING_APPROVAL', 'ERROR', 'IN_PROGRESS', 'QUEUED'] as const

/**
 * Returns the step that a run opens with: one that waits for a person, failed, or is in progress; otherwise the last
 * one.
 */
export const initialStep = (steps: readonly PipelineStepExecution[]): PipelineStepExecution | undefined =>
  statusPriority.map((status) => steps.find((step) => step.status === status)).find((step) => step !== undefined) ??
  steps.at(-1)
