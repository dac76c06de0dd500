import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { globalRoles, roles } from './permissions.ts'

export const authSources = ['API_KEY', 'COOKIE'] as const
export type AuthSource = (typeof authSources)[number]

export const identityTypes = ['API_KEY', 'EMAIL_PASSWORD', 'ID_TOKEN', 'SINGLE_SIGN_ON'] as const
export type IdentityType = (typeof identityTypes)[number]

export const principalTypes = ['MEMBERSHIP', 'SERVICE_ACCOUNT'] as const
export type PrincipalType = (typeof principalTypes)[number]

/** The caller, as `GET /auth/whoami` tells it. A service account stands in for its own membership and user. */
export const Principal = Type.Object(
  {
    authSource: Type.Enum(authSources, { description: 'How the caller authenticated.' }),
    email: Type.String({ description: "The user's address; empty for a service account." }),
    fullName: Type.Optional(Type.String({ description: "The user's or the service account's name." })),
    globalRole: Type.Enum(globalRoles, { description: 'Role in the whole installation.' }),
    identityId: Type.String({ description: 'The credential that was presented: an API key or a sign-in identity.' }),
    identityType: Type.Enum(identityTypes, { description: 'What kind of credential that is.' }),
    membershipId: Type.String({ description: "The membership, or the service account's own id." }),
    organizationId: Id,
    organizationName: Type.String({ description: 'Name of the organization.' }),
    principalType: Type.Enum(principalTypes, { description: 'A user within an organization, or a service account.' }),
    role: Type.Enum(roles, { description: 'Role in the organization.' }),
    shortName: Type.Optional(Type.String({ description: "A short form of the user's name." })),
    userId: Type.String({ description: "The user, or the service account's own id." }),
  },
  { additionalProperties: false, description: 'The authenticated principal and its organization.' },
)
export type Principal = Static<typeof Principal>
