import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

/** The last three statuses are final. */
export const pipelineRunStatuses = [
  'QUEUED',
  'IN_PROGRESS',
  'PENDING_APPROVAL',
  'SUCCESS',
  'ERROR',
  'CANCELLED',
] as const
export const PipelineRunStatus = Type.Enum(pipelineRunStatuses, { description: 'Status of the run.' })
export type PipelineRunStatus = Static<typeof PipelineRunStatus>

/** Triggers of runs: users and programs, other runs, schedules, and pushes. */
export const runTriggerSources = ['API', 'CONSOLE', 'CLI', 'PIPELINE', 'SCHEDULE', 'PUSH'] as const
export type RunTriggerSource = (typeof runTriggerSources)[number]

export const PipelineRun = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    pipelineId: Id,
    pipelineVersionId: Id,
    description: Type.Optional(Type.String({ description: 'Description of the run.' })),
    inputs: FreeFormObject,
    status: PipelineRunStatus,
    triggerSource: Type.Enum(runTriggerSources, { description: 'How the run was triggered.' }),
    triggeredBy: Type.String({ description: 'Name of the user, service account or event that triggered the run.' }),
    startedAt: Type.Optional(UtcDateTime),
    completedAt: Type.Optional(UtcDateTime),
    error: Type.Optional(UserFacingError),
  },
  { ...closed, description: 'Run of a pipeline version.' },
)
export type PipelineRun = Static<typeof PipelineRun>

export const CreatePipelineRun = Type.Object(
  {
    pipelineId: Id,
    pipelineVersionId: Type.Optional(Id),
    description: Type.Optional(Type.String({ maxLength: 10_000, description: 'Description of the run.' })),
    inputs: Type.Optional(FreeFormObject),
  },
  { ...closed, description: 'Fields of a new run. Without a version, the latest one is run.' },
)
export type CreatePipelineRun = Static<typeof CreatePipelineRun>

export const RetryPipelineRun = Type.Object(
  {
    skip: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 63 }), {
        minItems: 1,
        maxItems: 500,
        description:
          'IDs of steps to skip. They count as completed for the steps that need them. Requires the permission pipeline-runs:skip and a `reason`.',
      }),
    ),
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 10_000,
        description: 'Reason for skipping steps, recorded in the audit log. Required with `skip`.',
      }),
    ),
  },
  { ...closed, description: 'Steps that the retry skips.' },
)
export type RetryPipelineRun = Static<typeof RetryPipelineRun>

const RunNumber = Type.Integer({
  minimum: 1,
  description: 'Number of the run within its pipeline, counted from 1, as in "#42".',
})

/** Data that `include` can add to a run. */
export const runNumberIncluded = { number: RunNumber } as const

const NamedRun = (description: string) =>
  Type.Optional(Type.Object({ id: Id, number: RunNumber }, { ...closed, description }))

/** Relation between a run and its retries. */
export const retriesIncluded = {
  retries: Type.Object(
    {
      retryOf: NamedRun('Run that this run retries.'),
      retriedBy: NamedRun('Run that retries this run.'),
    },
    { ...closed, description: 'Runs before and after this run in a chain of retries.' },
  ),
} as const
export type RunRetries = Static<typeof retriesIncluded.retries>
