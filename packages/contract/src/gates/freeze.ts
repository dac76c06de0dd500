import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Operations that a freeze can block. */
export const freezableOperations = ['RELEASES', 'CONTINUES', 'ROLLBACKS', 'APPLIES'] as const
export type FreezableOperation = (typeof freezableOperations)[number]

export const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'Reason, shown to users whom it blocks.',
})

export const FreezeWindow = Type.Union(
  [
    Type.Object(
      { from: UtcDateTime, until: UtcDateTime },
      { ...closed, description: 'One-time window between two times.' },
    ),
    Type.Object(
      {
        cron: Type.String({
          minLength: 9,
          maxLength: 100,
          description: 'Start of each window as a cron expression: minute, hour, day of month, month, day of week.',
          examples: ['0 16 * * 5'],
        }),
        timeZone: Type.String({
          minLength: 1,
          maxLength: 50,
          description: 'IANA name of the time zone of `cron`.',
          examples: ['Europe/Berlin'],
        }),
        minutes: Type.Integer({
          minimum: 1,
          maximum: 44_640,
          description:
            'Length of the window in minutes, up to 31 days. A window of a day or longer ends at the local time of day, regardless of daylight saving time.',
        }),
      },
      { ...closed, description: 'Recurring window.' },
    ),
  ],
  {
    description: 'Time window in which the freeze is active.',
    examples: [{ from: '2099-12-23T17:00:00Z', until: '2100-01-04T08:00:00Z' }],
  },
)
export type FreezeWindow = Static<typeof FreezeWindow>

const rules = {
  name: Name,
  reason: Type.Optional(Reason),
  window: FreezeWindow,
  stops: Type.Array(Type.Enum(freezableOperations), {
    minItems: 1,
    maxItems: freezableOperations.length,
    description:
      'Operations that the freeze blocks. RELEASES: new releases. CONTINUES: continuing from a pause. ROLLBACKS: rollbacks. APPLIES: pipeline steps that change or destroy infrastructure. Without CONTINUES, releases in progress can continue.',
  }),
  mode: Type.Enum(['ENFORCE', 'WARN'], {
    description:
      'ENFORCE blocks operations. WARN blocks nothing and records in the audit log what would have been blocked. Defaults to ENFORCE.',
  }),
  onRelease: Type.Enum(['WAIT', 'REJECT'], {
    description:
      'What happens to a release requested during the freeze. WAIT queues it as PENDING; REJECT rejects the request. Defaults to WAIT.',
  }),
  afterwards: Type.Enum(['ALL', 'NEWEST'], {
    description:
      'Releases of an instance to start after the freeze. ALL starts all waiting releases, oldest first; NEWEST starts only the newest. Defaults to ALL.',
  }),
}

const scopeFields = {
  projectId: Type.Optional(Id),
  environmentId: Type.Optional(Id),
  moduleInstanceId: Type.Optional(Id),
}

export const FreezePeriod = Type.Object(
  { from: UtcDateTime, until: UtcDateTime },
  {
    ...closed,
    description:
      'Current period of the freeze, or the next one if it is not active. Absent once the freeze has ended permanently.',
  },
)

export const Freeze = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    ...scopeFields,
    ...rules,
    isActive: Type.Boolean({ description: 'Whether the freeze is active now.' }),
    period: Type.Optional(FreezePeriod),
    createdBy: Type.String({ description: 'Name of the user or service account that created the freeze.' }),
  },
  {
    ...closed,
    description:
      'Time window in which releases and infrastructure changes are blocked in an organization, project, environment or module instance.',
  },
)
export type Freeze = Static<typeof Freeze>

export const CreateFreeze = Type.Object(
  {
    ...scopeFields,
    ...rules,
    mode: Type.Optional(rules.mode),
    onRelease: Type.Optional(rules.onRelease),
    afterwards: Type.Optional(rules.afterwards),
  },
  {
    ...closed,
    description:
      'Fields of a new freeze. The narrowest resource named is its scope; if none is named, the whole organization.',
  },
)
export type CreateFreeze = Static<typeof CreateFreeze>

export const UpdateFreeze = Type.Partial(Type.Object(rules, closed), {
  ...closed,
  description: 'Fields of a freeze to change. The scope cannot be changed.',
})
export type UpdateFreeze = Static<typeof UpdateFreeze>

export const FreezeOverride = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    freezeId: Id,
    moduleInstanceId: Type.Optional(Id),
    reason: Reason,
    until: UtcDateTime,
    createdBy: Type.String({ description: 'Name of the user or service account that created the override.' }),
  },
  { ...closed, description: 'Temporary exemption from a freeze.' },
)
export type FreezeOverride = Static<typeof FreezeOverride>

export const CreateFreezeOverride = Type.Object(
  {
    moduleInstanceId: Type.Optional(Id),
    reason: Reason,
    minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1440,
        description: 'Minutes until the override ends, up to one day. Defaults to 60.',
      }),
    ),
  },
  {
    ...closed,
    description:
      'Fields of a new freeze override. If no module instance is named, the override exempts everything that the freeze blocks.',
  },
)
export type CreateFreezeOverride = Static<typeof CreateFreezeOverride>
