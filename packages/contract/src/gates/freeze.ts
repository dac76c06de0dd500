import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** What a freeze may stop. */
export const frozenActs = ['RELEASES', 'CONTINUES', 'ROLLBACKS', 'APPLIES'] as const
export type FrozenAct = (typeof frozenActs)[number]

export const Reason = Type.String({ minLength: 1, maxLength: 500, description: 'Why, for those whom it stops.' })

export const FreezeWindow = Type.Union(
  [
    Type.Object(
      { from: UtcDateTime, until: UtcDateTime },
      { ...closed, description: 'Once: from a moment until another.' },
    ),
    Type.Object(
      {
        cron: Type.String({
          minLength: 9,
          maxLength: 100,
          description: 'When it begins: minute, hour, day of month, month and day of week.',
          examples: ['0 16 * * 5'],
        }),
        timeZone: Type.String({
          minLength: 1,
          maxLength: 50,
          description: 'The IANA name of the time zone that `cron` is in.',
          examples: ['Europe/Berlin'],
        }),
        minutes: Type.Integer({
          minimum: 1,
          maximum: 44_640,
          description:
            'How long it lasts, 31 days at most. From a day on it ends by the clock, whatever summer time does.',
        }),
      },
      { ...closed, description: 'Again and again.' },
    ),
  ],
  {
    description: 'When nothing may be released or applied.',
    examples: [{ from: '2099-12-23T17:00:00Z', until: '2100-01-04T08:00:00Z' }],
  },
)
export type FreezeWindow = Static<typeof FreezeWindow>

const rules = {
  name: Name,
  reason: Type.Optional(Reason),
  window: FreezeWindow,
  stops: Type.Array(Type.Enum(frozenActs), {
    minItems: 1,
    maxItems: frozenActs.length,
    description:
      'RELEASES that would start, CONTINUES of pauses, ROLLBACKS, and APPLIES: steps of pipelines that would begin to change or destroy infrastructure. Without CONTINUES, what is under way goes on.',
  }),
  mode: Type.Enum(['ENFORCE', 'WARN'], {
    description: 'WARN stops nothing, and notes in the audit log what it would have stopped.',
  }),
  onRelease: Type.Enum(['WAIT', 'REFUSE'], {
    description: 'Whether a release that is asked for meanwhile waits as PENDING, or is refused.',
  }),
  afterwards: Type.Enum(['ALL', 'NEWEST'], {
    description: 'Which of the releases of an instance that waited start afterwards: all, oldest first, or the newest.',
  }),
}

const places = { projectId: Type.Optional(Id), environmentId: Type.Optional(Id), moduleInstanceId: Type.Optional(Id) }

export const FreezePeriod = Type.Object(
  { from: UtcDateTime, until: UtcDateTime },
  { ...closed, description: 'When it is active now, or the next time; absent when it is over for good.' },
)

export const Freeze = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    ...places,
    ...rules,
    isActive: Type.Boolean({ description: 'Whether it is active now.' }),
    period: Type.Optional(FreezePeriod),
    createdBy: Type.String({ description: 'Who made it.' }),
  },
  {
    ...closed,
    description:
      'A time in which nothing is released or applied in an organization, a project, an environment or an instance.',
  },
)
export type Freeze = Static<typeof Freeze>

export const CreateFreeze = Type.Object(
  {
    ...places,
    ...rules,
    mode: Type.Optional(rules.mode),
    onRelease: Type.Optional(rules.onRelease),
    afterwards: Type.Optional(rules.afterwards),
  },
  {
    ...closed,
    description: 'A new freeze, of the narrowest place that is named; of the whole organization where none is.',
  },
)
export type CreateFreeze = Static<typeof CreateFreeze>

export const UpdateFreeze = Type.Partial(Type.Object(rules, closed), {
  ...closed,
  description: 'What is to change about a freeze; where it holds does not.',
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
    createdBy: Type.String({ description: 'Who let it past.' }),
  },
  { ...closed, description: 'What may be released or applied in spite of a freeze, and until when.' },
)
export type FreezeOverride = Static<typeof FreezeOverride>

export const CreateFreezeOverride = Type.Object(
  {
    moduleInstanceId: Type.Optional(Id),
    reason: Reason,
    minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1440, description: 'For how long, a day at most. Absent: an hour.' }),
    ),
  },
  { ...closed, description: 'Lets an instance past a freeze, or all that it stops where none is named.' },
)
export type CreateFreezeOverride = Static<typeof CreateFreezeOverride>
