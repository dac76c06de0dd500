/** What a principal may do within its organization, from least to most. */
export const roles = ['VIEWER', 'DEVELOPER', 'ADMIN', 'OWNER'] as const
export type Role = (typeof roles)[number]

/** What a user is to the whole installation. A superadmin sees internal error details. */
export const globalRoles = ['USER', 'SUPERADMIN'] as const
export type GlobalRole = (typeof globalRoles)[number]

const viewer = [
  'cloud-accounts:read',
  'code-sources:read',
  'default-value-definitions:read',
  'default-values:read',
  'deployments:read',
  'environments:read',
  'execution-environments:read',
  'iac-resources:read',
  'infrastructure-events:read',
  'memberships:read',
  'module-definitions:read',
  'module-instances:read',
  'organizations:read',
  'pipeline-runs:read',
  'pipelines:read',
  'projects:read',
  'service-accounts:read',
  'stacks:read',
] as const
const developer = [
  ...viewer,
  'deployments:write',
  'module-instances:write',
  'pipeline-runs:write',
  'pipelines:write',
  'stacks:write',
] as const
const admin = [
  ...developer,
  'cloud-accounts:write',
  'code-sources:write',
  'default-value-definitions:write',
  'default-values:write',
  'environments:write',
  'execution-environments:write',
  'iac-states:read',
  'iac-states:write',
  'module-definitions:write',
  'projects:write',
] as const
const owner = [
  ...admin,
  'api-keys:write',
  'audit-events:read',
  'invitations:read',
  'invitations:write',
  'memberships:write',
  'organizations:write',
  'service-accounts:write',
] as const

export type Permission = (typeof owner)[number]

/**
 * A viewer reads. A developer also deploys, approves and works with instances, pipelines and stacks. An admin also
 * changes what those stand on. An owner also manages members, keys and the organization, and sees who invited whom and
 * did what.
 */
export const permissionsOf = {
  VIEWER: viewer,
  DEVELOPER: developer,
  ADMIN: admin,
  OWNER: owner,
} as const satisfies Record<Role, readonly Permission[]>
