import {
  type PipelineRunStatus,
  type PipelineStepExecutionStatus,
  pipelineRunStatuses,
  pipelineStepExecutionStatuses,
} from '@sluice/contract'

/** What is over never changes again. */
export const isRunOver = {
  QUEUED: false,
  IN_PROGRESS: false,
  PENDING_APPROVAL: false,
  SUCCESS: true,
  ERROR: true,
  CANCELLED: true,
} as const satisfies Record<PipelineRunStatus, boolean>

/** The same of steps. */
export const isStepOver = {
  QUEUED: false,
  IN_PROGRESS: false,
  PENDING_APPROVAL: false,
  SUCCESS: true,
  ERROR: true,
  CANCELLED: true,
  SKIPPED: true,
} as const satisfies Record<PipelineStepExecutionStatus, boolean>

/** The statuses of a run that is not over. */
export const unfinishedRunStatuses = pipelineRunStatuses.filter((status) => !isRunOver[status])

/** The statuses of a step that is not over. */
export const unfinishedStepStatuses = pipelineStepExecutionStatuses.filter((status) => !isStepOver[status])
