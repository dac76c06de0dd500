import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const runnerStatuses = ['ONLINE', 'OFFLINE'] as const
export const RunnerStatus = Type.Enum(runnerStatuses, { description: 'Whether it was heard of within a minute.' })
export type RunnerStatus = Static<typeof RunnerStatus>

const RunningStep = Type.Object(
  {
    stepExecutionId: Id,
    pipelineRunId: Id,
    stepName: Type.String({ description: 'Display name.' }),
    startedAt: Type.Optional(UtcDateTime),
  },
  { ...closed, description: 'A step that a runner carries out.' },
)

export const Runner = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    executionEnvironmentId: Id,
    runnerTokenId: Type.String({ ...Id, description: 'The token that it came with last.' }),
    machine: Type.String({ description: 'What its machine is called.' }),
    version: Type.String({ description: 'Of the runner.' }),
    isolation: Type.String({ description: 'What keeps its programs apart.' }),
    labels: Type.Array(Type.String(), { description: 'What whoever started it says of it.' }),
    capacity: Type.Integer({ description: 'How many steps it carries out at a time.' }),
    status: RunnerStatus,
    lastSeenAt: UtcDateTime,
    isDraining: Type.Boolean({ description: 'Whether it finishes what it has and takes nothing more.' }),
    steps: Type.Array(RunningStep, { description: 'What it carries out.' }),
  },
  { ...closed, description: 'A machine of a pool.' },
)
export type Runner = Static<typeof Runner>

export const UpdateRunner = Type.Object(
  { isDraining: Type.Optional(Type.Boolean({ description: 'Whether it takes nothing more.' })) },
  { ...closed, description: 'Changes to a runner; what is left out stays.' },
)
export type UpdateRunner = Static<typeof UpdateRunner>
