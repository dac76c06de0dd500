import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const runnerTaskStatuses = ['STARTING', 'STARTED', 'ENDED'] as const
export const RunnerTaskStatus = Type.Enum(runnerTaskStatuses, {
  description: 'Whether the cloud has been asked to start it, has started it, or shows that it has ended.',
})
export type RunnerTaskStatus = Static<typeof RunnerTaskStatus>

export const RunnerTask = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    executionEnvironmentId: Id,
    pipelineRunId: Id,
    stepExecutionId: Id,
    stepName: Type.String(),
    attemptEpoch: Type.Integer({ description: 'The attempt of the step that it carries out, and no other.' }),
    status: RunnerTaskStatus,
    taskArn: Type.Optional(
      Type.String({ description: 'In the cloud account: of the task, or of the build of its build service.' }),
    ),
    claimedAt: Type.Optional({ ...UtcDateTime, description: 'When its runner was given the attempt.' }),
    trouble: Type.Optional(Type.String({ description: 'What keeps it from being started now.' })),
  },
  { ...closed, description: 'A task, or a build, in a cloud account that carries out one attempt of a step.' },
)
export type RunnerTask = Static<typeof RunnerTask>
