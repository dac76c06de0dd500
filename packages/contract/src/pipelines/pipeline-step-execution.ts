import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

/** The last four statuses are final. */
export const pipelineStepExecutionStatuses = [
  'QUEUED',
  'IN_PROGRESS',
  'PENDING_APPROVAL',
  'SUCCESS',
  'ERROR',
  'CANCELLED',
  'SKIPPED',
] as const
export const PipelineStepExecutionStatus = Type.Enum(pipelineStepExecutionStatuses, {
  description: 'Status of the step.',
})
export type PipelineStepExecutionStatus = Static<typeof PipelineStepExecutionStatus>

/** Reasons why a step waits. */
export const queueReasons = [
  'DEPENDENCIES',
  'VERSION_NOT_APPROVED',
  'CONCURRENCY',
  'STACK_LOCKED',
  'RUNNER_CAPACITY',
  'APPROVED',
  'RETRY_BACKOFF',
  'FROZEN',
  'READY',
] as const
export const QueueReason = Type.Enum(queueReasons, {
  description: 'Reason why the step is waiting, or was last waiting.',
})
export type QueueReason = Static<typeof QueueReason>

export const StepLogs = Type.Object(
  {
    cloudAccountId: Type.String({ description: 'ID of the cloud account that stores the logs.' }),
    logGroupName: Type.String({ description: 'Name of the log group.' }),
    logStreamPrefix: Type.String({ description: 'Prefix of the log stream names.' }),
    region: Type.String({ description: 'Cloud region.' }),
  },
  { ...closed, description: "Location of the step's logs in the cloud." },
)
export type StepLogs = Static<typeof StepLogs>

export const PipelineStepExecution = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    pipelineRunId: Id,
    stepId: Type.String({ description: 'ID of the step in the pipeline configuration.' }),
    stepName: Type.String({ description: 'Display name.' }),
    stepType: Type.String({ description: 'Type of the step.' }),
    status: PipelineStepExecutionStatus,
    statusDetail: Type.Optional(FreeFormObject),
    queueReason: QueueReason,
    queueMetadata: FreeFormObject,
    attemptEpoch: Type.Integer({ description: 'Number of the attempt. Reports from earlier attempts are ignored.' }),
    retryAttempt: Type.Integer({ description: 'Number of the retry; 0 for the first attempt.' }),
    isLastRetry: Type.Boolean({ description: 'Whether the step fails for good if this attempt fails.' }),
    engineRunId: Type.String({ description: 'Run ID in the workflow engine. Empty before the step starts.' }),
    engineWorkflowId: Type.String({ description: 'Workflow ID in the workflow engine.' }),
    moduleInstanceId: Type.Optional(Id),
    inputData: Type.Optional(FreeFormObject),
    outputData: Type.Optional(FreeFormObject),
    startedAt: Type.Optional(UtcDateTime),
    completedAt: Type.Optional(UtcDateTime),
    error: Type.Optional(UserFacingError),
    logs: Type.Optional(StepLogs),
  },
  { ...closed, description: 'Execution of one step of a pipeline run.' },
)
export type PipelineStepExecution = Static<typeof PipelineStepExecution>

const Comment = Type.String({ maxLength: 10_000, description: 'Comment on the decision.' })

const RequestedAt = Type.Unsafe<string>({
  ...UtcDateTime,
  description:
    'Time of the approval request, from `statusDetail.approval`. The decision fails if the step has requested approval again since.',
})

export const ApprovePipelineStepExecution = Type.Object(
  { comment: Type.Optional(Comment), requestedAt: Type.Optional(RequestedAt) },
  { ...closed, description: 'Comment on an approval, and the request that it answers.' },
)
export type ApprovePipelineStepExecution = Static<typeof ApprovePipelineStepExecution>

export const RejectPipelineStepExecution = Type.Object(
  { comment: Type.Optional(Comment), requestedAt: Type.Optional(RequestedAt) },
  { ...closed, description: 'Comment on a rejection, and the request that it answers.' },
)
export type RejectPipelineStepExecution = Static<typeof RejectPipelineStepExecution>
