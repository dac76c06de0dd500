import { type Static, Type } from 'typebox'
import { grantedRoles } from '../identity/permissions.ts'
import { principalTypes } from '../identity/principal.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const GrantedRole = Type.Enum(grantedRoles, { description: 'Role of the principal.' })

const PrincipalId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'ID of the membership, service account or team.',
})

const EnvironmentId = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description:
      'ID of the environment. If absent, the role applies to all environments of the project that are not restricted.',
  }),
)

/** Types of principals that can have a role on a project or an environment. */
export const granteeTypes = [...principalTypes, 'TEAM'] as const
export type GranteeType = (typeof granteeTypes)[number]

export const RoleGrant = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    principalId: PrincipalId,
    principalType: Type.Enum(granteeTypes, { description: 'Type of the principal.' }),
    role: GrantedRole,
    projectId: Id,
    environmentId: EnvironmentId,
  },
  { ...closed, description: 'Role on a project or on one of its environments.' },
)
export type RoleGrant = Static<typeof RoleGrant>

export const CreateRoleGrant = Type.Object(
  { principalId: PrincipalId, role: GrantedRole, projectId: Id, environmentId: EnvironmentId },
  { ...closed, description: 'Fields of a new role grant.' },
)
export type CreateRoleGrant = Static<typeof CreateRoleGrant>

export const EffectivePermissions = Type.Object(
  {
    organizationId: Id,
    projectId: Type.Optional(Id),
    environmentId: Type.Optional(Id),
    restricted: Type.Boolean({ description: 'Whether inherited roles do not apply.' }),
    permissions: Type.Array(Type.String(), { description: 'Permissions of the caller in this scope.' }),
    inAnyScope: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Permissions that the caller has in at least one project or environment. Present for the organization.',
      }),
    ),
  },
  { ...closed, description: 'Permissions of the caller in the organization, a project or an environment.' },
)
export type EffectivePermissions = Static<typeof EffectivePermissions>
