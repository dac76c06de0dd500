import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const runnerTaskStatuses = ['STARTING', 'STARTED', 'ENDED'] as const
export const RunnerTaskStatus = Type.Enum(runnerTaskStatuses, {
  description: 'Status of the task: requested, started, or ended in the cloud.',
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
    attemptEpoch: Type.Integer({ description: 'Attempt of the step that the task executes.' }),
    status: RunnerTaskStatus,
    taskArn: Type.Optional(Type.String({ description: 'ARN of the task or build in the cloud account.' })),
    claimedAt: Type.Optional({ ...UtcDateTime, description: 'Time when its runner acquired the attempt.' }),
    error: Type.Optional(Type.String({ description: 'Error that prevents the task from starting.' })),
  },
  { ...closed, description: 'Task or build in a cloud account that executes one attempt of a step.' },
)
export type RunnerTask = Static<typeof RunnerTask>
