import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { globalRoles, roles } from './permissions.ts'

export const authSources = ['API_KEY', 'COOKIE'] as const
export type AuthSource = (typeof authSources)[number]

export const identityTypes = ['API_KEY', 'EMAIL_PASSWORD', 'ID_TOKEN', 'SINGLE_SIGN_ON'] as const
export type IdentityType = (typeof identityTypes)[number]

export const principalTypes = ['MEMBERSHIP', 'SERVICE_ACCOUNT'] as const
export type PrincipalType = (typeof principalTypes)[number]

/** Caller as returned by `GET /auth/whoami`. For a service account, `membershipId` and `userId` are its own ID. */
export const Principal = Type.Object(
  {
    authSource: Type.Enum(authSources, { description: 'How the caller authenticated.' }),
    email: Type.String({ description: 'Email address of the user. Empty for a service account.' }),
    fullName: Type.Optional(Type.String({ description: 'Full name of the user, or the name of the service account.' })),
    globalRole: Type.Enum(globalRoles, { description: 'Role in the whole installation.' }),
    identityId: Type.String({ description: 'ID of the credential: an API key or a sign-in identity.' }),
    identityType: Type.Enum(identityTypes, { description: 'Type of the credential.' }),
    membershipId: Type.String({ description: 'ID of the membership, or of the service account.' }),
    organizationId: Id,
    organizationName: Type.String({ description: 'Name of the organization.' }),
    principalType: Type.Enum(principalTypes, {
      description: 'Type of the principal: a member of the organization or a service account.',
    }),
    role: Type.Enum(roles, { description: 'Role in the organization.' }),
    shortName: Type.Optional(Type.String({ description: 'Short name of the user.' })),
    userId: Type.String({ description: 'ID of the user, or of the service account.' }),
  },
  { additionalProperties: false, description: 'Authenticated principal and its organization.' },
)
export type Principal = Static<typeof Principal>
