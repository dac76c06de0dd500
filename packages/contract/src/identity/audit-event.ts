import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { principalTypes } from './principal.ts'

/** Types of actors: a principal, a pipeline run, or Sluice itself. */
export const actorTypes = [...principalTypes, 'PIPELINE_RUN', 'SERVICE'] as const
export type ActorType = (typeof actorTypes)[number]

/**
 * Channels of a change. It comes from a client, a webhook, a schedule, a cloud event or another pipeline, or from
 * Sluice itself.
 */
export const channels = [
  'CONSOLE',
  'CLI',
  'API',
  'AGENT',
  'SLACK',
  'WEBHOOK',
  'SCHEDULE',
  'CLOUD_EVENT',
  'PIPELINE',
  'SERVICE',
] as const
export type Channel = (typeof channels)[number]

const example = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'
const Hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 hash in hexadecimal.',
  examples: [example],
})

const AuditLink = Type.Object(
  {
    sequence: Type.Integer({
      minimum: 1,
      description: 'Number of the event within the organization, counted without gaps.',
    }),
    contentHash: Type.String({
      pattern: '^([0-9a-f]{64})?$',
      examples: [example],
      description: 'SHA-256 hash of the content. Empty for events recorded before version 0.3.',
    }),
    previousHash: { ...Hash, description: 'Hash of the previous event. Zeros for the first event.' },
    hash: { ...Hash, description: 'Hash of the previous hash, the sequence, the time and the content hash.' },
  },
  {
    additionalProperties: false,
    description:
      'Link to the previous event. Absent for events recorded before version 0.3. See `sluice audit verify`.',
  },
)

export const AuditEvent = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    organizationId: Id,
    actorType: Type.Enum(actorTypes, { description: 'Type of the actor.' }),
    actorId: Type.String({
      description: 'ID of the membership, service account or pipeline run; `sluice` for Sluice itself.',
    }),
    actorName: Type.String({ description: 'Email address or name of the actor at the time of the event.' }),
    channel: Type.Enum(channels, { description: 'Channel of the change.' }),
    action: Type.String({ description: '`<resource>.<verb>`, such as `projects.create`.' }),
    resourceType: Type.String({ description: 'Type of the changed resource.' }),
    resourceId: Type.String({ description: 'ID of the changed resource.' }),
    projectId: Type.Optional({ ...Id, description: 'ID of the project whose configuration changed.' }),
    environmentId: Type.Optional({ ...Id, description: 'ID of the environment, if the change was in one.' }),
    details: Type.Optional(FreeFormObject),
    before: Type.Optional(FreeFormObject),
    ipAddress: Type.Optional(Type.String({ description: 'IP address of the request.' })),
    userAgent: Type.Optional(Type.String({ description: 'User agent of the request.' })),
    requestId: Type.Optional(
      Type.String({ description: 'Request ID, which identifies the request in the server log.' }),
    ),
    chain: Type.Optional(AuditLink),
  },
  { additionalProperties: false, description: 'Record of a change: actor, action, resource, time and origin.' },
)
export type AuditEvent = Static<typeof AuditEvent>

export const AuditHead = Type.Object(
  {
    organizationId: Id,
    sequence: Type.Integer({ minimum: 0, description: 'Number of linked events.' }),
    hash: { ...Hash, description: 'Hash of the last event. Zeros if there is none.' },
    signedAt: UtcDateTime,
    publicKey: Type.String({
      description: 'Public Ed25519 key (RFC 8032) of the installation that signed the head, in base64url.',
    }),
    signature: Type.String({
      description:
        'Ed25519 signature (RFC 8032) over the lines `sluice audit head`, organizationId, sequence, hash and signedAt, in base64url.',
    }),
  },
  {
    additionalProperties: false,
    description:
      "Signed head of an audit log's hash chain. Stored elsewhere, it proves later whether events were changed or removed.",
  },
)
export type AuditHead = Static<typeof AuditHead>

/** Bounds of the retention period in days: long enough to notice an incident, and at most a hundred years. */
export const retentionDays = { minimum: 30, maximum: 36_500 } as const

const OrganizationDays = Type.Union([Type.Integer(retentionDays), Type.Null()], {
  description: "Retention period of the organization in days. null uses the installation's.",
})

export const AuditRetention = Type.Object(
  {
    effectiveDays: Type.Integer({ description: 'Effective retention period in days: the longer of the other two.' }),
    installationDays: Type.Integer({ description: 'Retention period of the installation in days.' }),
    organizationDays: OrganizationDays,
  },
  { additionalProperties: false, description: 'Retention period of the audit log.' },
)
export type AuditRetention = Static<typeof AuditRetention>

export const SetAuditRetention = Type.Object(
  { organizationDays: OrganizationDays },
  { additionalProperties: false, description: 'Retention period that the organization requests.' },
)
export type SetAuditRetention = Static<typeof SetAuditRetention>
