import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** The collections whose changes are told, by the first part of their paths. */
export const changingResources = [
  'approval-rules',
  'certificates',
  'cloud-accounts',
  'code-sources',
  'deployments',
  'domains',
  'environments',
  'execution-environments',
  'freezes',
  'holds',
  'iac-plans',
  'module-definitions',
  'module-instances',
  'module-versions',
  'notification-events',
  'pipeline-runs',
  'pipeline-step-executions',
  'pipeline-versions',
  'pipelines',
  'policies',
  'preview-environments',
  'preview-templates',
  'projects',
  'promotion-rules',
  'stacks',
  'watched-repositories',
] as const
export type ChangingResource = (typeof changingResources)[number]

export const Change = Type.Object(
  {
    resource: Type.Enum(changingResources, { description: 'The collection of the record, as in its path.' }),
    id: Id,
    belongsTo: Type.Record(Type.String(), Id, {
      description: 'The records that it is part of, by the names of its fields, such as `moduleInstanceId`.',
    }),
    changedAt: UtcDateTime,
  },
  { ...closed, description: 'A record that was made, changed or removed: read it anew to see how.' },
)
export type Change = Static<typeof Change>

/** What a client of the WebSocket sends; the last one counts. Without any, it is told of everything. */
export const ChangeSubscription = Type.Object(
  {
    subscribe: Type.Object(
      {
        resources: Type.Optional(
          Type.Array(Type.Enum(changingResources), {
            maxItems: changingResources.length,
            description: 'Only changes in these collections.',
          }),
        ),
        of: Type.Optional(
          Type.Array(Id, { maxItems: 100, description: 'Only changes of these records and of what is part of them.' }),
        ),
      },
      closed,
    ),
  },
  { ...closed, description: 'What to tell of.' },
)
export type ChangeSubscription = Static<typeof ChangeSubscription>

/** What the WebSocket tells. */
export type ChangeMessage = {
  /** Where to go on after a lost connection. */
  id: string
  /** What was missed is not known: read everything anew. */
  reset?: true
  changes?: Change[]
}

/** Why the WebSocket ends (RFC 6455, 7.4: from 4000 on they are ours). */
export const changeSocketCodes = {
  stopping: { code: 1001, reason: 'The server stops: come back with the last id.' },
  askedTooMuch: { code: 4000, reason: 'Too many messages at once.' },
  credentialOver: { code: 4001, reason: 'The credential was revoked or has ended.' },
  tooSlow: { code: 4002, reason: 'A message was not read within 30 s: come back with the last id.' },
  notUnderstood: { code: 4003, reason: 'The message is no subscription.' },
} as const
