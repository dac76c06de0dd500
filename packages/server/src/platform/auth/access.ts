import { type GrantedRole, grantedPermissionsOf, type Permission, permissionsOf, type Role } from '@sluice/contract'

/** Where something is: in a project, or in one of its environments. */
export type Scope = { projectId: string; environmentId?: string | undefined }

/** A role on a project, or on one of its environments alone. */
export type Grant = { projectId: string; environmentId: string | null; role: GrantedRole }

/** All that decides what a principal may do where. */
export type Access = {
  /** The role in the organization. */
  role: Role
  grants: readonly Grant[]
  /** Ids of the projects and environments in which no role from further up counts. */
  restricted: ReadonlySet<string>
  /** Ids of the projects and environments that the principal does not see. */
  hidden: ReadonlySet<string>
}

/** Nothing bars owners and admins: somebody must be able to undo a restriction. */
const isBeyondScopes = ({ role }: Access): boolean => role === 'OWNER' || role === 'ADMIN'

/** Whether the principal may do the same everywhere, which is what the role in the organization says. */
export const hasOneAnswer = (access: Access): boolean =>
  isBeyondScopes(access) || (access.grants.length === 0 && access.restricted.size === 0 && access.hidden.size === 0)

/** Whether the principal sees what is in a place. */
export const sees = ({ hidden }: Access, { projectId, environmentId }: Scope): boolean =>
  !hidden.has(projectId) && (environmentId === undefined || !hidden.has(environmentId))

/**
 * What a principal may do in a place: nothing in one that it does not see; else reading, as in the whole organization,
 * and what each role allows that counts there. The role in the organization counts in every project that is not
 * restricted; a role on a project, and with it that in the organization, counts in every environment of it that is not
 * restricted.
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

/** What the principal may do in one place at least, as far as the roles say. */
export const permissionsSomewhere = ({ role, grants }: Access): Set<Permission> =>
  new Set([...permissionsOf[role], ...grants.flatMap((one) => grantedPermissionsOf[one.role])])
