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
        'Whether the account lets us in: `DISCONNECTED` not any more, `ERROR` not everywhere or not rightly.',
    }),
    cloudArn: Type.Optional(Type.String({ description: 'The role that is assumed in the account.' })),
    cloudId: Type.Optional(Type.String({ description: "The account's twelve-digit number." })),
    cfnStackId: Type.Optional(Type.String({ description: 'The stack in the account that made the role.' })),
    roleVersion: Type.Optional(
      Type.String({ description: 'Version of the role that the account has; absent where the role does not say.' }),
    ),
    latestRoleVersion: Type.Optional(
      Type.String({ description: 'Newest version of the role; where it is another one, update the role.' }),
    ),
    latestRoleVersionDescription: Type.Optional(Type.String({ description: 'What the newest version changes.' })),
  },
  { additionalProperties: false, description: 'A connection to an account at the cloud provider.' },
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
  { ...closed, description: 'A new connection.' },
)
export type CreateCloudAccount = Static<typeof CreateCloudAccount>

const EventQueueArn = Type.String({
  pattern: '^arn:[a-z-]{1,20}:sqs:[a-z]{2,4}(?:-[a-z]+)+-\\d{1,2}:\\d{12}:[\\w-]{1,80}$',
  maxLength: 200,
  description: 'A queue in the account, to which a rule of its event bus brings events.',
  examples: ['arn:aws:sqs:eu-west-1:123456789012:sluice-events'],
})

export const UpdateCloudAccount = Type.Object(
  {
    name: Type.Optional(Name),
    eventQueueArn: Type.Optional(
      Type.Union([EventQueueArn, Type.Null()], { description: 'Where events are fetched from; null: nowhere.' }),
    ),
  },
  { ...closed, description: 'Changes to a connection; what is left out stays.' },
)
export type UpdateCloudAccount = Static<typeof UpdateCloudAccount>

export const ConnectCloudAccount = Type.Object(
  {
    roleArn: Type.String({
      pattern: '^arn:[a-z-]{1,20}:iam::\\d{12}:role/[\\w+=,.@/-]+$',
      maxLength: 700,
      description: 'The role to assume in the account.',
      examples: ['arn:cloud:iam::123456789012:role/delivery'],
    }),
  },
  { ...closed, description: 'How the account is entered.' },
)
export type ConnectCloudAccount = Static<typeof ConnectCloudAccount>

export const CloudConnection = Type.Object(
  {
    status: CloudAccount.properties.status,
    checkedAt: Type.Optional(UtcDateTime),
    error: Type.Optional(UserFacingError),
  },
  { ...closed, description: 'How the last check of a connection went, and what is wrong with it, if anything is.' },
)
export type CloudConnection = Static<typeof CloudConnection>

export const ConnectionLink = Type.Object(
  {
    externalId: Type.String({ description: 'Sent whenever the role is assumed; the role must ask for it.' }),
    principal: Type.String({ description: 'Who assumes the role.' }),
    trustPolicy: Type.String({ description: 'The trust policy (JSON) of the role, for who makes it by hand.' }),
    url: Type.Optional(
      Type.String({ description: 'Opens the page of the cloud that makes the role; absent where none is set up.' }),
    ),
  },
  { ...closed, description: 'What is needed to make the role in the account.' },
)
export type ConnectionLink = Static<typeof ConnectionLink>

export const EventSecret = Type.Object(
  { eventSecret: Type.String({ description: 'Shown this once; the event bus sends it with every event.' }) },
  { ...closed, description: 'A new event secret; the one before is no longer taken.' },
)
export type EventSecret = Static<typeof EventSecret>

export const EventQueue = Type.Object(
  {
    queueArn: Type.Optional(EventQueueArn),
    lastPolledAt: Type.Optional(UtcDateTime),
    error: Type.Optional(UserFacingError),
  },
  { ...closed, description: 'The queue that events are fetched from, if any, and how that goes.' },
)
export type EventQueue = Static<typeof EventQueue>

export const ProductionMark = Type.Object(
  {
    isProduction: Type.Boolean({
      description: 'Whether it is an account for production: no preview environment reaches into it.',
    }),
  },
  { ...closed, description: 'Whether an account is marked as one for production.' },
)
export type ProductionMark = Static<typeof ProductionMark>
