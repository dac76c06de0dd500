import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { Reason } from './freeze.ts'

const closed = { additionalProperties: false } as const

/** Who set a hold. */
export const holdOrigins = ['PERSON', 'ROLLBACK'] as const

export const Hold = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    environmentId: Id,
    moduleInstanceId: Type.Optional({ ...Id, description: 'What is held. Absent: all of the environment.' }),
    reason: Reason,
    origin: Type.Enum(holdOrigins, {
      description: 'PERSON: somebody holds it. ROLLBACK: it is held by itself since a release was rolled back.',
    }),
    deploymentId: Type.Optional({
      ...Id,
      description: 'Of ROLLBACK: the deployment that was rolled back, or that returned to an earlier release.',
    }),
    heldBy: Type.String({ description: 'Who holds it.' }),
    releasedAt: Type.Optional({ ...UtcDateTime, description: 'When it was let go; absent while it holds.' }),
    releasedBy: Type.Optional(Type.String({ description: 'Who let it go.' })),
    releaseReason: Type.Optional({ ...Reason, description: 'Why it was let go.' }),
  },
  {
    ...closed,
    description:
      'Nothing newer is released to an instance, or to all of an environment, until it is let go. Rollbacks are.',
  },
)
export type Hold = Static<typeof Hold>

export const CreateHold = Type.Object(
  { environmentId: Type.Optional(Id), moduleInstanceId: Type.Optional(Id), reason: Reason },
  { ...closed, description: 'Holds an instance, or an environment with all that is in it: one of them is named.' },
)
export type CreateHold = Static<typeof CreateHold>

export const ReleaseHold = Type.Object(
  { reason: { ...Reason, description: 'Why it is let go.' } },
  { ...closed, description: 'Lets go what is held.' },
)
export type ReleaseHold = Static<typeof ReleaseHold>

const holdRule = {
  afterRollback: Type.Boolean({
    description:
      'Whether an instance is held by itself when a release to it was rolled back. Not where it is not said.',
  }),
  mode: Type.Enum(['ENFORCE', 'WARN'], {
    description: 'Whether it is held, or only noted in the audit log that it would have been.',
  }),
}

export const HoldRule = Type.Object(holdRule, {
  ...closed,
  description: 'When instances of an environment are held by themselves.',
})
export type HoldRule = Static<typeof HoldRule>

export const UpdateHoldRule = Type.Object(
  { ...holdRule, mode: Type.Optional({ ...holdRule.mode, description: 'Absent: as it was, ENFORCE at first.' }) },
  { ...closed, description: 'When instances of an environment are to be held by themselves.' },
)
export type UpdateHoldRule = Static<typeof UpdateHoldRule>
