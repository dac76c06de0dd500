import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { MemberRole } from './membership.ts'
import { roles } from './permissions.ts'
import { IssuerUrl } from './service-account-trust.ts'

/** What members of a group may do. */
export const GroupRole = Type.Object(
  {
    group: Type.String({ minLength: 1, maxLength: 200, description: 'The group, as the provider tells it.' }),
    role: MemberRole,
  },
  { additionalProperties: false, description: 'The role of who is in a group.' },
)
export type GroupRole = Static<typeof GroupRole>

/** The team that members of a group are in. */
export const GroupTeam = Type.Object(
  { group: GroupRole.properties.group, teamId: Id },
  { additionalProperties: false, description: 'The team of who is in a group.' },
)
export type GroupTeam = Static<typeof GroupTeam>

const properties = {
  name: Name,
  issuer: IssuerUrl,
  clientId: Type.String({
    minLength: 1,
    maxLength: 300,
    description: 'What the provider calls us.',
    examples: ['sluice'],
  }),
  groupsClaim: Type.String({
    minLength: 1,
    maxLength: 100,
    default: 'groups',
    description: "The claim that holds a person's groups.",
  }),
  groupRoles: Type.Array(GroupRole, {
    maxItems: 100,
    default: [],
    description: 'Roles by group, given anew at each sign-in. The highest counts.',
  }),
  groupTeams: Type.Array(GroupTeam, {
    maxItems: 200,
    default: [],
    description: 'Teams by group, entered and left anew at each sign-in. Who was put in a team by hand stays in it.',
  }),
}
const defaultRole = 'The role of who is in none of those groups; without it, they are not let in.'

export const IdentityProvider = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    ...properties,
    defaultRole: Type.Optional(Type.Enum(roles, { description: defaultRole })),
    callbackUrl: Type.String({ description: 'Where the provider sends people back to: register it there.' }),
    backChannelLogoutUrl: Type.String({ description: 'Where the provider tells that people signed out there.' }),
  },
  { additionalProperties: false, description: 'Who says who the people of the organization are.' },
)
export type IdentityProvider = Static<typeof IdentityProvider>

const ClientSecret = Type.String({ minLength: 1, maxLength: 1_000, description: 'Kept sealed, and never shown again.' })

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
      Type.Union([Type.Enum(roles), Type.Null()], { description: `${defaultRole} \`null\` takes it away.` }),
    ),
  },
  { additionalProperties: false },
)
export type UpdateIdentityProvider = Static<typeof UpdateIdentityProvider>
