import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { Reason } from './freeze.ts'

const closed = { additionalProperties: false } as const

/** Origins of a hold. */
export const holdOrigins = ['USER', 'ROLLBACK'] as const

export const Hold = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    environmentId: Id,
    moduleInstanceId: Type.Optional({
      ...Id,
      description: 'ID of the held module instance. Absent if the hold applies to the whole environment.',
    }),
    reason: Reason,
    origin: Type.Enum(holdOrigins, {
      description: 'USER: set by a user. ROLLBACK: set automatically after a rollback.',
    }),
    deploymentId: Type.Optional({
      ...Id,
      description:
        'ID of the deployment that was rolled back or that restored an earlier release. Present if `origin` is ROLLBACK.',
    }),
    heldBy: Type.String({ description: 'Name of the user or service account that set the hold.' }),
    liftedAt: Type.Optional({
      ...UtcDateTime,
      description: 'Time when the hold was lifted. Absent while it is in force.',
    }),
    liftedBy: Type.Optional(Type.String({ description: 'Name of the user or service account that lifted the hold.' })),
    liftReason: Type.Optional({ ...Reason, description: 'Reason for lifting the hold.' }),
  },
  {
    ...closed,
    description:
      'Hold on a module instance or a whole environment. It blocks new releases until it is lifted; rollbacks remain possible.',
  },
)
export type Hold = Static<typeof Hold>

export const CreateHold = Type.Object(
  { environmentId: Type.Optional(Id), moduleInstanceId: Type.Optional(Id), reason: Reason },
  {
    ...closed,
    description:
      'Fields of a new hold. Name either a module instance or an environment; a hold on an environment applies to every instance in it.',
  },
)
export type CreateHold = Static<typeof CreateHold>

export const LiftHold = Type.Object(
  { reason: { ...Reason, description: 'Reason for lifting the hold.' } },
  { ...closed, description: 'Fields for lifting a hold.' },
)
export type LiftHold = Static<typeof LiftHold>

const holdRule = {
  afterRollback: Type.Boolean({
    description:
      'Whether to hold a module instance automatically after one of its releases is rolled back. Defaults to false.',
  }),
  mode: Type.Enum(['ENFORCE', 'WARN'], {
    description: 'ENFORCE sets the hold. WARN only records in the audit log that a hold would have been set.',
  }),
}

export const HoldRule = Type.Object(holdRule, {
  ...closed,
  description: 'Rule for automatic holds in an environment.',
})
export type HoldRule = Static<typeof HoldRule>

export const UpdateHoldRule = Type.Object(
  {
    ...holdRule,
    mode: Type.Optional({
      ...holdRule.mode,
      description: 'New mode. If absent, the mode stays as it is; initially ENFORCE.',
    }),
  },
  { ...closed, description: 'Fields of the rule for automatic holds in an environment.' },
)
export type UpdateHoldRule = Static<typeof UpdateHoldRule>
