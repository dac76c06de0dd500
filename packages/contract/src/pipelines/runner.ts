import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const runnerStatuses = ['ONLINE', 'OFFLINE'] as const
export const RunnerStatus = Type.Enum(runnerStatuses, {
  description: 'Whether the runner has sent a heartbeat within the last minute.',
})
export type RunnerStatus = Static<typeof RunnerStatus>

const RunningStep = Type.Object(
  {
    stepExecutionId: Id,
    pipelineRunId: Id,
    stepName: Type.String({ description: 'Display name.' }),
    startedAt: Type.Optional(UtcDateTime),
  },
  { ...closed, description: 'Step that a runner is executing.' },
)

export const Runner = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    executionEnvironmentId: Id,
    runnerTokenId: Type.String({ ...Id, description: 'ID of the token with which the runner last registered.' }),
    machine: Type.String({ description: "Host name of the runner's machine." }),
    version: Type.String({ description: 'Version of the runner.' }),
    isolation: Type.String({ description: 'Isolation method for the programs that the runner executes.' }),
    labels: Type.Array(Type.String(), { description: 'Labels set when the runner was started.' }),
    capacity: Type.Integer({ description: 'Maximum number of steps that the runner executes concurrently.' }),
    status: RunnerStatus,
    lastSeenAt: UtcDateTime,
    isDraining: Type.Boolean({ description: 'Whether the runner finishes its current steps and accepts no new ones.' }),
    steps: Type.Array(RunningStep, { description: 'Steps that the runner is executing.' }),
  },
  { ...closed, description: 'Runner of a pool.' },
)
export type Runner = Static<typeof Runner>

export const UpdateRunner = Type.Object(
  { isDraining: Type.Optional(Type.Boolean({ description: 'Whether the runner stops accepting steps.' })) },
  { ...closed, description: 'Fields of a runner to change. Absent fields stay unchanged.' },
)
export type UpdateRunner = Static<typeof UpdateRunner>
