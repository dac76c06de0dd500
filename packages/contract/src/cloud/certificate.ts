import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'
import { CloudRegion } from './cloud-account.ts'

const closed = { additionalProperties: false } as const

export const HostName = Type.String({
  maxLength: 253,
  pattern: '^(\\*\\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])$',
  description: 'A name in lower case; `*.` at its beginning stands for any one label.',
  examples: ['shop.example.com'],
})

export const certificateStatuses = ['REQUESTED', 'PENDING_VALIDATION', 'ISSUED', 'EXPIRED', 'FAILED'] as const
export type CertificateStatus = (typeof certificateStatuses)[number]

export const certificateOrigins = ['REQUESTED', 'FOUND'] as const
export type CertificateOrigin = (typeof certificateOrigins)[number]

export const recordStandings = ['WAITING', 'WRITTEN', 'BY_HAND'] as const

export const CertificateRecord = Type.Object(
  {
    names: Type.Array(HostName, { description: 'The names of the certificate that the record proves.' }),
    name: Type.String({ description: 'The name of the record, with its dot at the end.' }),
    type: Type.String({ description: 'The type of the record, such as CNAME.' }),
    value: Type.String({ description: 'What the record must hold.' }),
    isProven: Type.Boolean({ description: 'Whether the cloud has seen it.' }),
    standing: Type.Enum(recordStandings, {
      description:
        '`WRITTEN`: it stands in the hosted zone of the account. `BY_HAND`: copy it to where the DNS of the name is kept. ' +
        '`WAITING`: it is looked for.',
    }),
    zoneName: Type.Optional(Type.String({ description: 'The hosted zone of the account that the record belongs in.' })),
    problem: Type.Optional(Type.String({ description: 'What kept it from being written.' })),
  },
  { ...closed, description: 'A DNS record that proves names of a certificate.' },
)
export type CertificateRecord = Static<typeof CertificateRecord>

export const Certificate = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    cloudAccountId: Id,
    region: CloudRegion,
    arn: Type.Optional(
      Type.String({ description: 'What inputs of modules name it by; absent until it is asked for.' }),
    ),
    names: Type.Array(HostName, { description: 'The names it is for; the first is its domain name.' }),
    origin: Type.Enum(certificateOrigins, { description: 'Asked for through this service, or found in the account.' }),
    status: Type.Enum(certificateStatuses, {
      description:
        '`REQUESTED`: the cloud is about to be asked. `PENDING_VALIDATION`: until the records stand, 72 hours at most.',
    }),
    expiresSoon: Type.Boolean({
      description: 'Whether it ends within 30 days: the cloud should have renewed it by then, and has not.',
    }),
    issuedAt: Type.Optional(UtcDateTime),
    expiresAt: Type.Optional(UtcDateTime),
    inUseBy: Type.Array(Type.String(), { description: 'The ARNs of what shows it: load balancers, distributions.' }),
    writesRecords: Type.Boolean({ description: 'Whether its records are written where the account has the zone.' }),
    records: Type.Array(CertificateRecord, { description: 'The records that prove its names, once the cloud tells.' }),
    error: Type.Optional(UserFacingError),
    problem: Type.Optional(Type.String({ description: 'What was in the way at the last look; it is tried again.' })),
    lookedAt: Type.Optional(UtcDateTime),
  },
  { ...closed, description: 'A certificate in a cloud account.' },
)
export type Certificate = Static<typeof Certificate>

export const CreateCertificate = Type.Object(
  {
    cloudAccountId: Id,
    region: CloudRegion,
    domainName: Type.String({ ...HostName, maxLength: 64 }),
    alternativeNames: Type.Optional(
      Type.Array(HostName, { maxItems: 9, uniqueItems: true, description: 'Further names that it is for.' }),
    ),
    writesRecords: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether to write its records where the account has the zone.' }),
    ),
  },
  { ...closed, description: 'A certificate that is to be asked for.' },
)
export type CreateCertificate = Static<typeof CreateCertificate>

export const FindCertificates = Type.Object(
  { cloudAccountId: Id, region: CloudRegion },
  { ...closed, description: 'Where to look for certificates.' },
)
export type FindCertificates = Static<typeof FindCertificates>

export const FoundCertificates = Type.Object(
  {
    found: Type.Integer({ description: 'How many the account has in the region.' }),
    added: Type.Integer({ description: 'How many of them were not known yet; they are followed from now on.' }),
  },
  { ...closed, description: 'What an account has.' },
)
export type FoundCertificates = Static<typeof FoundCertificates>
