import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { MemberRole } from './membership.ts'
import { roles } from './permissions.ts'
import { IssuerUrl } from './service-account-trust.ts'

/** Role of a group's members. */
export const GroupRole = Type.Object(
  {
    group: Type.String({ minLength: 1, maxLength: 200, description: "Name of the group, as in the provider's claim." }),
    role: MemberRole,
  },
  { additionalProperties: false, description: "Role of a group's members." },
)
export type GroupRole = Static<typeof GroupRole>

/** Team of a group's members. */
export const GroupTeam = Type.Object(
  { group: GroupRole.properties.group, teamId: Id },
  { additionalProperties: false, description: "Team of a group's members." },
)
export type GroupTeam = Static<typeof GroupTeam>

const properties = {
  name: Name,
  issuer: IssuerUrl,
  clientId: Type.String({
    minLength: 1,
    maxLength: 300,
    description: 'Client ID of Sluice at the provider.',
    examples: ['sluice'],
  }),
  groupsClaim: Type.String({
    minLength: 1,
    maxLength: 100,
    default: 'groups',
    description: "Claim that contains the user's groups.",
  }),
  groupRoles: Type.Array(GroupRole, {
    maxItems: 100,
    default: [],
    description: 'Roles by group, applied at each sign-in. The highest role is used.',
  }),
  groupTeams: Type.Array(GroupTeam, {
    maxItems: 200,
    default: [],
    description: 'Teams by group, applied at each sign-in. Users who were added to a team manually stay in it.',
  }),
}
const defaultRole = 'Role of users without any of these groups. If absent, they cannot sign in.'

export const IdentityProvider = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    ...properties,
    defaultRole: Type.Optional(Type.Enum(roles, { description: defaultRole })),
    callbackUrl: Type.String({ description: 'Redirect URL to register at the provider.' }),
    backChannelLogoutUrl: Type.String({ description: 'Back-channel logout URL to register at the provider.' }),
  },
  { additionalProperties: false, description: 'Identity provider with which users of the organization sign in.' },
)
export type IdentityProvider = Static<typeof IdentityProvider>

const ClientSecret = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: 'Client secret. Stored encrypted and never returned.',
})

export const CreateIdentityProvider = Type.Object(
  {
    ...properties,
    groupsClaim: Type.Optional(properties.groupsClaim),
    groupRoles: Type.Optional(properties.groupRoles),
    groupTeams: Type.Optional(properties.groupTeams),
    defaultRole: Type.Optional(Type.Enum(roles, { description: defaultRole })),
    clientSecret: ClientSecret,
  },
  { additionalProperties: false },
)
export type CreateIdentityProvider = Static<typeof CreateIdentityProvider>

export const UpdateIdentityProvider = Type.Object(
  {
    name: Type.Optional(Name),
    clientId: Type.Optional(properties.clientId),
    clientSecret: Type.Optional(ClientSecret),
    groupsClaim: Type.Optional(properties.groupsClaim),
    groupRoles: Type.Optional(properties.groupRoles),
    groupTeams: Type.Optional(properties.groupTeams),
    defaultRole: Type.Optional(
      Type.Union([Type.Enum(roles), Type.Null()], { description: `${defaultRole} \`null\` removes it.` }),
    ),
  },
  { additionalProperties: false },
)
export type UpdateIdentityProvider = Static<typeof UpdateIdentityProvider>
