import { type Static, Type } from 'typebox'
import { actorTypes, channels } from '../identity/audit-event.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** What may be decided about a deployment, a run or a step: by a person, a run, or the service itself. */
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
    type: Type.Enum(actorTypes, { description: 'What the actor is.' }),
    id: Type.String({ description: 'The membership, the service account or the pipeline run; `sluice`: the service.' }),
    name: Type.String({ description: "The actor's email or name at that time." }),
  },
  { ...closed, description: 'Who decided.' },
)

export const Decision = Type.Object(
  {
    kind: Type.Enum(decisionKinds, { description: 'What was decided.' }),
    createdAt: UtcDateTime,
    actor: DecisionActor,
    channel: Type.Enum(channels, { description: 'By what the decision came.' }),
    reason: Type.Optional(Type.String({ description: 'The comment of who decided, or why the service did.' })),
    hookId: Type.Optional(Type.String({ description: 'The pause that it ended.' })),
    lifecycleStage: Type.Optional(Type.String({ description: 'The stage of that pause.' })),
    supersededById: Type.Optional({ ...Id, description: 'The deployment or run that took its place.' }),
    auditEventId: { ...Id, description: 'Its line in the audit log.' },
  },
  { ...closed, description: 'Something that somebody, or the service itself, decided.' },
)
export type Decision = Static<typeof Decision>

/** What can be asked for beside a deployment, a run and a step. */
export const decisionsIncluded = {
  decisions: Type.Array(Decision, {
    description: 'Who decided what about it, oldest first, for as long as the audit log is kept.',
  }),
} as const
