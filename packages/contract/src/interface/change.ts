import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Collections whose changes are streamed, named by the first segment of their path. */
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
    resource: Type.Enum(changingResources, { description: 'Collection of the resource, as in its path.' }),
    id: Id,
    belongsTo: Type.Record(Type.String(), Id, {
      description: 'Parent resources, keyed by field name, such as `moduleInstanceId`.',
    }),
    changedAt: UtcDateTime,
  },
  {
    ...closed,
    description: 'Notice that a resource was created, changed or deleted. Read the resource to get its new state.',
  },
)
export type Change = Static<typeof Change>

/**
 * Message from a WebSocket client. The last subscription replaces earlier ones. Without a subscription, all changes are
 * sent.
 */
export const ChangeSubscription = Type.Object(
  {
    subscribe: Type.Object(
      {
        resources: Type.Optional(
          Type.Array(Type.Enum(changingResources), {
            maxItems: changingResources.length,
            description: 'Collections to include.',
          }),
        ),
        of: Type.Optional(
          Type.Array(Id, {
            maxItems: 100,
            description: 'IDs of resources to include, with the resources that they contain.',
          }),
        ),
      },
      closed,
    ),
  },
  { ...closed, description: 'Subscription to changes.' },
)
export type ChangeSubscription = Static<typeof ChangeSubscription>

/** Message from the server over the WebSocket. */
export type ChangeMessage = {
  /** Event ID from which to resume after a lost connection. */
  id: string
  /** Events may have been missed. Read everything again. */
  reset?: true
  changes?: Change[]
}

/** Close codes of the WebSocket. Codes from 4000 are application-specific (RFC 6455, section 7.4). */
export const changeSocketCodes = {
  stopping: { code: 1001, reason: 'The server is shutting down: reconnect with the last event ID.' },
  askedTooMuch: { code: 4000, reason: 'Too many messages at once.' },
  credentialOver: { code: 4001, reason: 'The credential was revoked or has expired.' },
  tooSlow: { code: 4002, reason: 'A message was not read within 30 s: reconnect with the last event ID.' },
  notUnderstood: { code: 4003, reason: 'The message is not a valid subscription.' },
} as const
