import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

const rules = {
  cron: Type.String({
    minLength: 9,
    maxLength: 100,
    description: 'Cron expression of the drift checks: minute, hour, day of month, month, day of week.',
    examples: ['0 6 * * *'],
  }),
  timeZone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 50,
      description: 'IANA name of the time zone of `cron`. Defaults to UTC.',
      examples: ['Europe/Berlin'],
    }),
  ),
  pipelineId: Type.Optional({
    ...Id,
    description:
      'ID of a pipeline in the same project that has only steps of the type iac:drift. Required if no module instance owns the stack.',
  }),
}

export const DriftScheduleInput = Type.Object(
  {
    ...rules,
    reconciles: Type.Optional(
      Type.Boolean({
        description:
          'Whether detected drift starts a run that plans the module instance, requests its usual approval and applies. One run is started per drift. Defaults to false.',
      }),
    ),
  },
  { ...closed, description: 'Schedule of drift checks.' },
)
export type DriftScheduleInput = Static<typeof DriftScheduleInput>

export const DriftSchedule = Type.Object(
  {
    ...rules,
    timeZone: Type.String({ description: 'IANA name of the time zone of `cron`.' }),
    reconciles: Type.Boolean({ description: 'Whether detected drift starts a run that reverts it.' }),
    nextAt: {
      ...UtcDateTime,
      description:
        'Time of the next check. It is slightly later than the time of `cron`, because checks of many stacks are spread out.',
    },
  },
  { ...closed, description: 'Schedule of drift checks.' },
)

export const driftCheckStatuses = ['IN_PROGRESS', 'IN_SYNC', 'DRIFTED', 'FAILED'] as const

export const DriftCheck = Type.Object(
  {
    status: Type.Enum(driftCheckStatuses, { description: 'Result of the drift check.' }),
    pipelineRunId: Type.Optional({
      ...Id,
      description: "ID of the drift check's run. Absent if the run could not start.",
    }),
    at: Type.Optional({ ...UtcDateTime, description: 'Time when the drift check ended.' }),
    error: Type.Optional(UserFacingError),
  },
  { ...closed, description: 'Drift check.' },
)

export const DriftedResource = Type.Object(
  {
    address: Type.String({ description: 'Address of the resource in the configuration.' }),
    resourceType: Type.String({ description: 'Type of the resource.' }),
  },
  { ...closed, description: 'Resource that has drifted.' },
)

export const StackDrift = Type.Object(
  {
    stackId: Id,
    schedule: Type.Optional(DriftSchedule),
    latestCheck: Type.Optional(DriftCheck),
    driftedSince: Type.Optional({ ...UtcDateTime, description: 'Time when the current drift was first detected.' }),
    reconcilingRunId: Type.Optional({ ...Id, description: 'ID of the run that was started to revert the drift.' }),
    driftedCount: Type.Integer({ description: 'Number of drifted resources.' }),
    drifted: Type.Array(DriftedResource, {
      description: 'First 100 drifted resources. `GET /iac-resources` lists all.',
    }),
  },
  { ...closed, description: 'Drift of a stack, and the schedule of its checks.' },
)
export type StackDrift = Static<typeof StackDrift>

export const UpdateStackDrift = Type.Object(
  { schedule: Type.Union([DriftScheduleInput, Type.Null()], { description: 'New schedule. null stops the checks.' }) },
  { ...closed, description: 'Drift settings of a stack to change.' },
)
export type UpdateStackDrift = Static<typeof UpdateStackDrift>
