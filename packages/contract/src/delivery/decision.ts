import { type Static, Type } from 'typebox'
import { actorTypes, channels } from '../identity/audit-event.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Kinds of decisions about a deployment, a run or a step, made by a user, a run or Sluice itself. */
export const decisionKinds = [
  'CREATED',
  'CONTINUED',
  'PAUSE_EXPIRED',
  'CANCELLED',
  'ROLLED_BACK',
  'SUPERSEDED',
  'APPROVED',
  'REJECTED',
  'WITHDRAWN',
  'ENDED',
] as const
export type DecisionKind = (typeof decisionKinds)[number]

export const DecisionActor = Type.Object(
  {
    type: Type.Enum(actorTypes, { description: 'Type of the actor.' }),
    id: Type.String({
      description: 'ID of the membership, service account or pipeline run; `sluice` for Sluice itself.',
    }),
    name: Type.String({ description: 'Email address or name of the actor at the time of the decision.' }),
  },
  { ...closed, description: 'Actor who made the decision.' },
)

export const Decision = Type.Object(
  {
    kind: Type.Enum(decisionKinds, { description: 'Kind of the decision.' }),
    createdAt: UtcDateTime,
    actor: DecisionActor,
    channel: Type.Enum(channels, { description: 'Channel through which the decision was made.' }),
    reason: Type.Optional(
      Type.String({ description: 'Comment of the actor, or the reason for an automatic decision.' }),
    ),
    hookId: Type.Optional(Type.String({ description: 'ID of the pause that the decision ended.' })),
    lifecycleStage: Type.Optional(Type.String({ description: 'Lifecycle stage of that pause.' })),
    step: Type.Optional(
      Type.Object(
        { id: Id, name: Type.String({ description: 'Name of the step.' }) },
        { ...closed, description: 'Step that the decision is about, among the decisions of its run.' },
      ),
    ),
    supersededById: Type.Optional({ ...Id, description: 'ID of the deployment or run that superseded this one.' }),
    auditEventId: { ...Id, description: 'ID of the audit event that records the decision.' },
  },
  { ...closed, description: 'Decision made by a user, a service account, a run or Sluice itself.' },
)
export type Decision = Static<typeof Decision>

/** Data that `include` can add to a deployment, a run or a step. */
export const decisionsIncluded = {
  decisions: Type.Array(Decision, {
    description: 'Decisions about the resource, oldest first. Available while the audit log retains them.',
  }),
} as const
