import { type Static, Type } from 'typebox'
import { GivenId, Id } from './ids.ts'
import { UtcDateTime } from './time.ts'

export const cloudAccountStatuses = ['AWAITING_CONNECTION', 'CONNECTED', 'ERROR', 'DISCONNECTED'] as const
export type CloudAccountStatus = (typeof cloudAccountStatuses)[number]

export const CloudAccount = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    givenId: GivenId,
    name: Type.String({ description: 'Display name.' }),
    status: Type.Enum(cloudAccountStatuses, { description: 'Whether the account can be reached.' }),
    cloudArn: Type.Optional(Type.String({ description: 'The role that is assumed in the account.' })),
    cloudId: Type.Optional(Type.String({ description: "The account's twelve-digit number." })),
    cfnStackId: Type.Optional(Type.String({ description: 'The stack in the account that made the role.' })),
    roleVersion: Type.Optional(Type.String({ description: 'Version of the role that the account has.' })),
    latestRoleVersion: Type.Optional(Type.String({ description: 'Newest version of the role.' })),
    latestRoleVersionDescription: Type.Optional(Type.String({ description: 'What the newest version changes.' })),
  },
  { additionalProperties: false, description: 'A connection to an account at the cloud provider.' },
)
export type CloudAccount = Static<typeof CloudAccount>
