import type { PipelineStepExecution } from '@sluice/contract'

/** What people come for first, and then next. */
const interest = ['PENDING_APPROVAL', 'ERROR', 'IN_PROGRESS', 'QUEUED'] as const

/** The step that a run is opened at: one that waits for a person, that failed, that is under way; else the last. */
export const stepToShow = (steps: readonly PipelineStepExecution[]): PipelineStepExecution | undefined =>
  interest.map((status) => steps.find((step) => step.status === status)).find((step) => step !== undefined) ??
  steps.at(-1)
