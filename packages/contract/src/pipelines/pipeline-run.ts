import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

/** The last three are final. */
export const pipelineRunStatuses = [
  'QUEUED',
  'IN_PROGRESS',
  'PENDING_APPROVAL',
  'SUCCESS',
  'ERROR',
  'CANCELLED',
] as const
export const PipelineRunStatus = Type.Enum(pipelineRunStatuses, { description: 'Where the run stands.' })
export type PipelineRunStatus = Static<typeof PipelineRunStatus>

/** What sets runs off: people and programs, another run, the clock, a push. */
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
    description: Type.Optional(Type.String({ description: 'What this run is about.' })),
    inputs: FreeFormObject,
    status: PipelineRunStatus,
    triggerSource: Type.Enum(runTriggerSources, { description: 'How it was triggered.' }),
    triggeredBy: Type.String({ description: 'Who or what triggered it, for people.' }),
    startedAt: Type.Optional(UtcDateTime),
    completedAt: Type.Optional(UtcDateTime),
    error: Type.Optional(UserFacingError),
  },
  { ...closed, description: 'One run of a version of a pipeline.' },
)
export type PipelineRun = Static<typeof PipelineRun>

export const CreatePipelineRun = Type.Object(
  {
    pipelineId: Id,
    pipelineVersionId: Type.Optional(Id),
    description: Type.Optional(Type.String({ maxLength: 10_000, description: 'What this run is about.' })),
    inputs: Type.Optional(FreeFormObject),
  },
  { ...closed, description: 'What to run; without a version, the latest one.' },
)
export type CreatePipelineRun = Static<typeof CreatePipelineRun>

export const RetryPipelineRun = Type.Object(
  {
    skip: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 63 }), {
        minItems: 1,
        maxItems: 500,
        description:
          'Ids of steps that are not carried out again, and count as done for those that need them. Takes the permission pipeline-runs:skip, and a reason.',
      }),
    ),
    reason: Type.Optional(
      Type.String({ minLength: 1, maxLength: 10_000, description: 'Why; the audit log keeps it. Needed with `skip`.' }),
    ),
  },
  { ...closed, description: 'What the retry leaves out.' },
)
export type RetryPipelineRun = Static<typeof RetryPipelineRun>

const RunNumber = Type.Integer({
  minimum: 1,
  description: 'What people call it by, as in "#42": runs of a pipeline are counted from 1.',
})

/** What can be asked for beside a run. */
export const runNumberIncluded = { number: RunNumber } as const

const NamedRun = (description: string) =>
  Type.Optional(Type.Object({ id: Id, number: RunNumber }, { ...closed, description }))

/** How a run and its retries belong together. */
export const retriesIncluded = {
  retries: Type.Object(
    {
      retryOf: NamedRun('The run that this one retries.'),
      retriedBy: NamedRun('The run that retries this one.'),
    },
    { ...closed, description: 'The runs before and after it, where one is a retry of the other.' },
  ),
} as const
export type RunRetries = Static<typeof retriesIncluded.retries>
