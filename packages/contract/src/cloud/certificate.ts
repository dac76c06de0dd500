import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'
import { CloudRegion } from './cloud-account.ts'

const closed = { additionalProperties: false } as const

export const HostName = Type.String({
  maxLength: 253,
  pattern: '^(\\*\\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])$',
  description: 'Domain name in lower case. A leading `*.` matches any one label.',
  examples: ['shop.example.com'],
})

export const certificateStatuses = ['REQUESTED', 'PENDING_VALIDATION', 'ISSUED', 'EXPIRED', 'FAILED'] as const
export type CertificateStatus = (typeof certificateStatuses)[number]

export const certificateOrigins = ['REQUESTED', 'FOUND'] as const
export type CertificateOrigin = (typeof certificateOrigins)[number]

export const certificateRecordStatuses = ['PENDING', 'CREATED', 'MANUAL'] as const

export const CertificateRecord = Type.Object(
  {
    names: Type.Array(HostName, { description: 'Domain names that the record validates.' }),
    name: Type.String({ description: 'Name of the record, including the trailing dot.' }),
    type: Type.String({ description: 'Type of the record, such as CNAME.' }),
    value: Type.String({ description: 'Required value of the record.' }),
    isValidated: Type.Boolean({ description: 'Whether the cloud has validated the record.' }),
    status: Type.Enum(certificateRecordStatuses, {
      description:
        "Status of the record. `CREATED`: created in the account's hosted zone. `MANUAL`: create it manually at the domain's DNS provider. `PENDING`: not found yet.",
    }),
    zoneName: Type.Optional(Type.String({ description: 'Hosted zone of the account that the record belongs to.' })),
    problem: Type.Optional(Type.String({ description: 'Reason why the record could not be created.' })),
  },
  { ...closed, description: 'DNS record that validates domain names of a certificate.' },
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
      Type.String({ description: 'ARN, used in module inputs. Absent until the certificate is requested.' }),
    ),
    names: Type.Array(HostName, { description: 'Domain names of the certificate, the primary one first.' }),
    origin: Type.Enum(certificateOrigins, {
      description: 'Whether the certificate was requested by Sluice or found in the account.',
    }),
    status: Type.Enum(certificateStatuses, {
      description:
        'Status of the certificate. `REQUESTED`: about to be requested. `PENDING_VALIDATION`: waiting for its DNS records, at most 72 hours.',
    }),
    expiresSoon: Type.Boolean({
      description: 'Whether the certificate expires within 30 days and was not renewed by the cloud.',
    }),
    issuedAt: Type.Optional(UtcDateTime),
    expiresAt: Type.Optional(UtcDateTime),
    inUseBy: Type.Array(Type.String(), {
      description: 'ARNs of the resources that use the certificate, such as load balancers and distributions.',
    }),
    writesRecords: Type.Boolean({
      description: 'Whether Sluice creates the DNS records if the account has the hosted zone.',
    }),
    records: Type.Array(CertificateRecord, {
      description: 'DNS records that validate the domain names, once the cloud has returned them.',
    }),
    error: Type.Optional(UserFacingError),
    problem: Type.Optional(Type.String({ description: 'Error of the last check. Sluice retries it.' })),
    checkedAt: Type.Optional(UtcDateTime),
  },
  { ...closed, description: 'Certificate in a cloud account.' },
)
export type Certificate = Static<typeof Certificate>

export const CreateCertificate = Type.Object(
  {
    cloudAccountId: Id,
    region: CloudRegion,
    domainName: Type.String({ ...HostName, maxLength: 64 }),
    alternativeNames: Type.Optional(
      Type.Array(HostName, { maxItems: 9, uniqueItems: true, description: 'Additional domain names.' }),
    ),
    writesRecords: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether to create the DNS records if the account has the hosted zone.',
      }),
    ),
  },
  { ...closed, description: 'Fields of a new certificate.' },
)
export type CreateCertificate = Static<typeof CreateCertificate>

export const FindCertificates = Type.Object(
  { cloudAccountId: Id, region: CloudRegion },
  { ...closed, description: 'Cloud account and region in which to discover certificates.' },
)
export type FindCertificates = Static<typeof FindCertificates>

export const FoundCertificates = Type.Object(
  {
    found: Type.Integer({ description: 'Number of certificates in the region.' }),
    added: Type.Integer({ description: 'Number of certificates that were added to Sluice.' }),
  },
  { ...closed, description: 'Result of certificate discovery.' },
)
export type FoundCertificates = Static<typeof FoundCertificates>
