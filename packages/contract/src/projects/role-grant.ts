import { type Static, Type } from 'typebox'
import { grantedRoles } from '../identity/permissions.ts'
import { principalTypes } from '../identity/principal.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const GrantedRole = Type.Enum(grantedRoles, { description: 'What the principal may do there.' })

const PrincipalId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The membership, the service account or the team.',
})

const EnvironmentId = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The environment of the project that it is for; without it, all that are not restricted.',
  }),
)

/** Who can be given a role on a project or an environment. */
export const granteeTypes = [...principalTypes, 'TEAM'] as const
export type GranteeType = (typeof granteeTypes)[number]

export const RoleGrant = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    principalId: PrincipalId,
    principalType: Type.Enum(granteeTypes, { description: 'What the principal is.' }),
    role: GrantedRole,
    projectId: Id,
    environmentId: EnvironmentId,
  },
  { ...closed, description: 'A role on a project, or on one of its environments.' },
)
export type RoleGrant = Static<typeof RoleGrant>

export const CreateRoleGrant = Type.Object(
  { principalId: PrincipalId, role: GrantedRole, projectId: Id, environmentId: EnvironmentId },
  { ...closed, description: 'Who is given which role, and where.' },
)
export type CreateRoleGrant = Static<typeof CreateRoleGrant>

export const EffectivePermissions = Type.Object(
  {
    organizationId: Id,
    projectId: Type.Optional(Id),
    environmentId: Type.Optional(Id),
    restricted: Type.Boolean({ description: 'Whether roles from further up do not count there.' }),
    permissions: Type.Array(Type.String(), { description: 'All that the caller may do there.' }),
    somewhere: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Of the organization: all that the caller may do in one project or environment at least.',
      }),
    ),
  },
  { ...closed, description: 'What the caller may do in the organization, a project or an environment.' },
)
export type EffectivePermissions = Static<typeof EffectivePermissions>
