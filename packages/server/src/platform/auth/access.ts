import { type GrantedRole, grantedPermissionsOf, type Permission, permissionsOf, type Role } from '@sluice/contract'

/** Scope of a record: a project, or one of its environments. */
export type Scope = { projectId: string; environmentId?: string | undefined }

/** Role on a project, or on one of its environments only. */
export type Grant = { projectId: string; environmentId: string | null; role: GrantedRole }

/** Roles, restrictions and hidden scopes, which determine the permissions of a principal. */
export type Access = {
  /** Role in the organization. */
  role: Role
  grants: readonly Grant[]
  /** IDs of projects and environments in which roles of higher levels do not count. */
  restricted: ReadonlySet<string>
  /** IDs of projects and environments that the principal cannot see. */
  hidden: ReadonlySet<string>
}

/** Restrictions do not apply to owners and admins, who must be able to remove them. */
const isBeyondScopes = ({ role }: Access): boolean => role === 'OWNER' || role === 'ADMIN'

/** Reports whether the principal has the same permissions everywhere, those of the role in the organization. */
export const hasUniformPermissions = (access: Access): boolean =>
  isBeyondScopes(access) || (access.grants.length === 0 && access.restricted.size === 0 && access.hidden.size === 0)

/** Reports whether the principal can see records in a scope. */
export const sees = ({ hidden }: Access, { projectId, environmentId }: Scope): boolean =>
  !hidden.has(projectId) && (environmentId === undefined || !hidden.has(environmentId))

/**
 * Returns the permissions of a principal in a scope: none if it is hidden; otherwise read permissions, and those of
 * each role that counts there. The role in the organization counts in every project that is not restricted. A role on a
 * project, and with it that in the organization, counts in every environment that is not restricted.
 */
export function permissionsOn(access: Access, { projectId, environmentId }: Scope): Set<Permission> {
  const own = permissionsOf[access.role]
  if (isBeyondScopes(access)) return new Set(own)
  if (!sees(access, { projectId, environmentId })) return new Set()
  const granted = (id: string | null) =>
    access.grants.filter((one) => one.projectId === projectId && one.environmentId === id)
  const onProject = granted(null).flatMap(({ role }) => grantedPermissionsOf[role])
  const inProject = access.restricted.has(projectId) ? onProject : [...own, ...onProject]
  const read = permissionsOf.VIEWER
  if (environmentId === undefined) return new Set([...read, ...inProject])
  const onEnvironment = granted(environmentId).flatMap(({ role }) => grantedPermissionsOf[role])
  const fromAbove = access.restricted.has(environmentId) ? [] : inProject
  return new Set([...read, ...fromAbove, ...onEnvironment])
}

/** Returns the permissions that the principal has in at least one scope, by its roles. */
export const permissionsSomewhere = ({ role, grants }: Access): Set<Permission> =>
  new Set([...permissionsOf[role], ...grants.flatMap((one) => grantedPermissionsOf[one.role])])
