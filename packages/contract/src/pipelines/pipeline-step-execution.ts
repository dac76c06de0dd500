import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

/** The last four are final. */
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
  description: 'Where the step stands.',
})
export type PipelineStepExecutionStatus = Static<typeof PipelineStepExecutionStatus>

/** Why a step waits. */
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
export const QueueReason = Type.Enum(queueReasons, { description: 'Why it waits, or last waited.' })
export type QueueReason = Static<typeof QueueReason>

export const StepLogs = Type.Object(
  {
    cloudAccountId: Type.String({ description: 'The cloud account that holds the logs.' }),
    logGroupName: Type.String({ description: 'Name of the log group.' }),
    logStreamPrefix: Type.String({ description: 'What the names of its streams start with.' }),
    region: Type.String({ description: 'Cloud region.' }),
  },
  { ...closed, description: 'Where the step writes its logs.' },
)
export type StepLogs = Static<typeof StepLogs>

export const PipelineStepExecution = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    pipelineRunId: Id,
    stepId: Type.String({ description: "The step's id in the pipeline's configuration." }),
    stepName: Type.String({ description: 'Display name.' }),
    stepType: Type.String({ description: 'What kind of step it is.' }),
    status: PipelineStepExecutionStatus,
    statusDetail: Type.Optional(FreeFormObject),
    queueReason: QueueReason,
    queueMetadata: FreeFormObject,
    attemptEpoch: Type.Integer({ description: 'Counts attempts; what an older one reports is ignored.' }),
    retryAttempt: Type.Integer({ description: 'Number of the retry; 0 is the first attempt.' }),
    isLastRetry: Type.Boolean({ description: 'Whether a failure of this attempt is the end.' }),
    engineRunId: Type.String({ description: "The engine's id of the run; empty before it starts." }),
    engineWorkflowId: Type.String({ description: 'What the engine knows it by.' }),
    moduleInstanceId: Type.Optional(Id),
    inputData: Type.Optional(FreeFormObject),
    outputData: Type.Optional(FreeFormObject),
    startedAt: Type.Optional(UtcDateTime),
    completedAt: Type.Optional(UtcDateTime),
    error: Type.Optional(UserFacingError),
    logs: Type.Optional(StepLogs),
  },
  { ...closed, description: 'One step of a pipeline run.' },
)
export type PipelineStepExecution = Static<typeof PipelineStepExecution>

const Comment = Type.String({ maxLength: 10_000, description: 'Why.' })

const RequestedAt = Type.Unsafe<string>({
  ...UtcDateTime,
  description: 'When it asked, as `statusDetail.approval` told it; refused where it has asked anew since.',
})

export const ApprovePipelineStepExecution = Type.Object(
  { comment: Type.Optional(Comment), requestedAt: Type.Optional(RequestedAt) },
  { ...closed, description: 'Why it may go on, and what was asked.' },
)
export type ApprovePipelineStepExecution = Static<typeof ApprovePipelineStepExecution>

export const RejectPipelineStepExecution = Type.Object(
  { comment: Type.Optional(Comment), requestedAt: Type.Optional(RequestedAt) },
  { ...closed, description: 'Why it is turned down.' },
)
export type RejectPipelineStepExecution = Static<typeof RejectPipelineStepExecution>
