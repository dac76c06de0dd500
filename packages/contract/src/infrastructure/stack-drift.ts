import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

const rules = {
  cron: Type.String({
    minLength: 9,
    maxLength: 100,
    description: 'When it is looked: minute, hour, day of month, month and day of week.',
    examples: ['0 6 * * *'],
  }),
  timeZone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 50,
      description: 'The IANA name of the time zone that `cron` is in. UTC, unless named.',
      examples: ['Europe/Berlin'],
    }),
  ),
  pipelineId: Type.Optional({
    ...Id,
    description:
      'A pipeline of the same project with steps of the type iac:drift alone. Needed where no module instance has the stack; an instance tells what to look with by itself.',
  }),
}

export const WishedDriftSchedule = Type.Object(
  {
    ...rules,
    reconciles: Type.Optional(
      Type.Boolean({
        description:
          'Whether a run that plans the module instance anew, asks for its usual approval and applies is begun for what is found: one for each drift. Not, unless said.',
      }),
    ),
  },
  { ...closed, description: 'When it is looked for drift.' },
)
export type WishedDriftSchedule = Static<typeof WishedDriftSchedule>

export const DriftSchedule = Type.Object(
  {
    ...rules,
    timeZone: Type.String({ description: 'The IANA name of the time zone that `cron` is in.' }),
    reconciles: Type.Boolean({ description: 'Whether a run is begun that undoes what is found.' }),
    nextAt: { ...UtcDateTime, description: 'Somewhat after the time of `cron`: looks of many stacks are spread.' },
  },
  { ...closed, description: 'When it is looked for drift.' },
)

export const driftLookStatuses = ['UNDER_WAY', 'IN_SYNC', 'DRIFTED', 'FAILED'] as const

export const DriftLook = Type.Object(
  {
    status: Type.Enum(driftLookStatuses, { description: 'What it came to.' }),
    pipelineRunId: Type.Optional({ ...Id, description: 'Its run; none where it could not begin.' }),
    at: Type.Optional({ ...UtcDateTime, description: 'When it ended.' }),
    error: Type.Optional(UserFacingError),
  },
  { ...closed, description: 'A look for drift.' },
)

export const DriftedResource = Type.Object(
  {
    address: Type.String({ description: 'Where it stands in the configuration.' }),
    resourceType: Type.String({ description: "The tool's type of it." }),
  },
  { ...closed, description: 'A resource that is not as it was left.' },
)

export const StackDrift = Type.Object(
  {
    stackId: Id,
    schedule: Type.Optional(DriftSchedule),
    latestLook: Type.Optional(DriftLook),
    driftedSince: Type.Optional({ ...UtcDateTime, description: 'When a look found drift first that is still there.' }),
    reconcilingRunId: Type.Optional({ ...Id, description: 'The run that was begun to undo it.' }),
    driftedCount: Type.Integer({ description: 'How many resources have drifted.' }),
    drifted: Type.Array(DriftedResource, { description: 'The first hundred of them. `GET /iac-resources` has all.' }),
  },
  { ...closed, description: 'What others changed in a stack, and when that is looked for.' },
)
export type StackDrift = Static<typeof StackDrift>

export const UpdateStackDrift = Type.Object(
  { schedule: Type.Union([WishedDriftSchedule, Type.Null()], { description: 'Null: it is not looked any more.' }) },
  { ...closed, description: 'When it is looked for drift.' },
)
export type UpdateStackDrift = Static<typeof UpdateStackDrift>
