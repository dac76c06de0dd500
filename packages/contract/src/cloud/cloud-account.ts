import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { GivenId, Id, NewGivenId } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

export const cloudAccountStatuses = ['AWAITING_CONNECTION', 'CONNECTED', 'ERROR', 'DISCONNECTED'] as const
export type CloudAccountStatus = (typeof cloudAccountStatuses)[number]

export const CloudAccount = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    givenId: GivenId,
    name: Name,
    status: Type.Enum(cloudAccountStatuses, {
      description:
        'Status of the connection. `DISCONNECTED`: access was lost. `ERROR`: access is incomplete or misconfigured.',
    }),
    cloudArn: Type.Optional(Type.String({ description: 'ARN of the role that Sluice assumes.' })),
    cloudId: Type.Optional(Type.String({ description: 'Account number, 12 digits.' })),
    cfnStackId: Type.Optional(Type.String({ description: 'ID of the stack in the account that created the role.' })),
    roleVersion: Type.Optional(
      Type.String({ description: 'Version of the role in the account. Absent if the role has no version.' }),
    ),
    latestRoleVersion: Type.Optional(
      Type.String({ description: 'Latest version of the role. Update the role if its version differs.' }),
    ),
    latestRoleVersionDescription: Type.Optional(
      Type.String({ description: 'Changes in the latest version of the role.' }),
    ),
  },
  { additionalProperties: false, description: 'Connection to a cloud account.' },
)
export type CloudAccount = Static<typeof CloudAccount>

const closed = { additionalProperties: false } as const

export const CloudRegion = Type.String({
  pattern: '^[a-z]{2,4}(?:-[a-z]+)+-\\d{1,2}$',
  maxLength: 40,
  description: 'Cloud region.',
  examples: ['eu-west-1'],
})

export const CreateCloudAccount = Type.Object(
  { givenId: NewGivenId, name: Name },
  { ...closed, description: 'Fields of a new cloud account connection.' },
)
export type CreateCloudAccount = Static<typeof CreateCloudAccount>

const EventQueueArn = Type.String({
  pattern: '^arn:[a-z-]{1,20}:sqs:[a-z]{2,4}(?:-[a-z]+)+-\\d{1,2}:\\d{12}:[\\w-]{1,80}$',
  maxLength: 200,
  description: 'ARN of a queue in the account to which an event bus rule sends events.',
  examples: ['arn:aws:sqs:eu-west-1:123456789012:sluice-events'],
})

export const UpdateCloudAccount = Type.Object(
  {
    name: Type.Optional(Name),
    eventQueueArn: Type.Optional(
      Type.Union([EventQueueArn, Type.Null()], {
        description: 'ARN of the queue from which Sluice receives events. null stops receiving.',
      }),
    ),
  },
  { ...closed, description: 'Fields of a connection to change. Absent fields stay unchanged.' },
)
export type UpdateCloudAccount = Static<typeof UpdateCloudAccount>

export const ConnectCloudAccount = Type.Object(
  {
    roleArn: Type.String({
      pattern: '^arn:[a-z-]{1,20}:iam::\\d{12}:role/[\\w+=,.@/-]+$',
      maxLength: 700,
      description: 'ARN of the role to assume.',
      examples: ['arn:cloud:iam::123456789012:role/delivery'],
    }),
  },
  { ...closed, description: 'Role with which Sluice accesses the account.' },
)
export type ConnectCloudAccount = Static<typeof ConnectCloudAccount>

export const CloudConnection = Type.Object(
  {
    status: CloudAccount.properties.status,
    checkedAt: Type.Optional(UtcDateTime),
    error: Type.Optional(UserFacingError),
  },
  { ...closed, description: 'Result of the last connection check and its errors.' },
)
export type CloudConnection = Static<typeof CloudConnection>

export const ConnectionLink = Type.Object(
  {
    externalId: Type.String({
      description: 'External ID that Sluice sends when it assumes the role. The trust policy must require it.',
    }),
    principal: Type.String({ description: 'ARN of the principal that assumes the role.' }),
    trustPolicy: Type.String({ description: 'Trust policy of the role as JSON, for creating the role manually.' }),
    url: Type.Optional(
      Type.String({
        description: 'URL of the cloud console page that creates the role. Absent if none is configured.',
      }),
    ),
  },
  { ...closed, description: 'Settings for creating the role in the account.' },
)
export type ConnectionLink = Static<typeof ConnectionLink>

export const EventSecret = Type.Object(
  {
    eventSecret: Type.String({
      description: 'Event secret. Returned only once; the event bus sends it with every event.',
    }),
  },
  { ...closed, description: 'New event secret. The previous one becomes invalid.' },
)
export type EventSecret = Static<typeof EventSecret>

export const EventQueue = Type.Object(
  {
    queueArn: Type.Optional(EventQueueArn),
    lastPolledAt: Type.Optional(UtcDateTime),
    error: Type.Optional(UserFacingError),
  },
  { ...closed, description: 'Event queue of the account and the status of its polling.' },
)
export type EventQueue = Static<typeof EventQueue>

export const ProductionMark = Type.Object(
  {
    isProduction: Type.Boolean({
      description: 'Whether the account is marked as production, so that preview environments cannot use it.',
    }),
  },
  { ...closed, description: 'Production mark of a cloud account.' },
)
export type ProductionMark = Static<typeof ProductionMark>
