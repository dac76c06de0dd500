/** What a principal may do within its organization, from least to most. */
export const roles = ['VIEWER', 'DEVELOPER', 'ADMIN', 'OWNER'] as const
export type Role = (typeof roles)[number]

/** What a user is to the whole installation. A superadmin sees internal error details. */
export const globalRoles = ['USER', 'SUPERADMIN'] as const
export type GlobalRole = (typeof globalRoles)[number]

const viewer = ['cloud-accounts:read', 'deployments:read', 'module-definitions:read', 'module-instances:read'] as const
const developer = [...viewer, 'deployments:write'] as const
const admin = [...developer, 'cloud-accounts:write'] as const
const owner = [...admin, 'api-keys:write'] as const

export type Permission = (typeof owner)[number]

/** A viewer reads, a developer also deploys, an admin also changes accounts, an owner also manages keys. */
export const permissionsOf = {
  VIEWER: viewer,
  DEVELOPER: developer,
  ADMIN: admin,
  OWNER: owner,
} as const satisfies Record<Role, readonly Permission[]>
