import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { principalTypes } from './principal.ts'

/** Who changes something: a principal, a run of a pipeline, or the service by itself. */
export const actorTypes = [...principalTypes, 'PIPELINE_RUN', 'SERVICE'] as const
export type ActorType = (typeof actorTypes)[number]

/**
 * By what a change came: what a person, a program or an agent asked with, the webhook, schedule or cloud event that set
 * it off, a pipeline that ended or started another, or nothing but the service itself.
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
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256, in hexadecimal.', examples: [example] })

const AuditLink = Type.Object(
  {
    sequence: Type.Integer({ minimum: 1, description: 'Counts the events of the organization, without a gap.' }),
    contentHash: Type.String({
      pattern: '^([0-9a-f]{64})?$',
      examples: [example],
      description: 'SHA-256 of the content; empty for an event that a version before 0.3 recorded.',
    }),
    previousHash: { ...Hash, description: 'The hash of the event before it; zeros for the first one.' },
    hash: { ...Hash, description: 'Of the previous hash, the sequence, the time and the content hash.' },
  },
  {
    additionalProperties: false,
    description: 'The link to the event before it. Events of before version 0.3 have none. See `sluice audit verify`.',
  },
)

export const AuditEvent = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    organizationId: Id,
    actorType: Type.Enum(actorTypes, { description: 'What the actor is.' }),
    actorId: Type.String({
      description: 'The membership, the service account or the pipeline run; `sluice` for the service.',
    }),
    actorName: Type.String({ description: "The actor's email or name at that time." }),
    channel: Type.Enum(channels, { description: 'By what it came.' }),
    action: Type.String({ description: '`<resource>.<verb>`, such as `projects.create`.' }),
    resourceType: Type.String({ description: 'What was changed.' }),
    resourceId: Type.String({ description: 'The id of what was changed.' }),
    projectId: Type.Optional({ ...Id, description: 'The project whose configuration was changed.' }),
    environmentId: Type.Optional({ ...Id, description: 'The environment of it, where the change was in one.' }),
    details: Type.Optional(FreeFormObject),
    before: Type.Optional(FreeFormObject),
    ipAddress: Type.Optional(Type.String({ description: 'Where the request came from.' })),
    userAgent: Type.Optional(Type.String({ description: 'What program made the request.' })),
    requestId: Type.Optional(Type.String({ description: 'Finds the request in the server log.' })),
    chain: Type.Optional(AuditLink),
  },
  { additionalProperties: false, description: 'Who changed what, when and from where.' },
)
export type AuditEvent = Static<typeof AuditEvent>

export const AuditHead = Type.Object(
  {
    organizationId: Id,
    sequence: Type.Integer({ minimum: 0, description: 'How many events were linked so far.' }),
    hash: { ...Hash, description: 'The hash of the last one; zeros where there is none.' },
    signedAt: UtcDateTime,
    publicKey: Type.String({
      description: 'The public Ed25519 key of the installation that signed it (RFC 8032), in base64url.',
    }),
    signature: Type.String({
      description:
        'Of the lines `sluice audit head`, organizationId, sequence, hash and signedAt (Ed25519, RFC 8032), in base64url.',
    }),
  },
  {
    additionalProperties: false,
    description:
      'The end of the chain of an audit log, signed. Kept elsewhere, it shows whether events were changed or removed since.',
  },
)
export type AuditHead = Static<typeof AuditHead>

/** Days that lines are kept. The least is what an incident is noticed in; the most is a hundred years. */
export const retentionDays = { minimum: 30, maximum: 36_500 } as const

const OwnDays = Type.Union([Type.Integer(retentionDays), Type.Null()], {
  description: 'What the organization wants; null: what the installation has.',
})

export const AuditRetention = Type.Object(
  {
    keptDays: Type.Integer({ description: 'How many days lines are kept: the longer of the other two.' }),
    installationDays: Type.Integer({ description: 'What the installation keeps for everybody.' }),
    organizationDays: OwnDays,
  },
  { additionalProperties: false, description: 'How long lines of the audit log are kept.' },
)
export type AuditRetention = Static<typeof AuditRetention>

export const SetAuditRetention = Type.Object(
  { organizationDays: OwnDays },
  { additionalProperties: false, description: 'How long the organization wants lines to be kept.' },
)
export type SetAuditRetention = Static<typeof SetAuditRetention>
