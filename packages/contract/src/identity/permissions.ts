/** What a principal may do within its organization, from least to most. */
export const roles = ['VIEWER', 'DEVELOPER', 'ADMIN', 'OWNER'] as const
export type Role = (typeof roles)[number]

/** What a user is to the whole installation. A superadmin sees internal error details. */
export const globalRoles = ['USER', 'SUPERADMIN'] as const
export type GlobalRole = (typeof globalRoles)[number]

const viewer = [
  'approval-rules:read',
  'certificates:read',
  'cloud-accounts:read',
  'code-sources:read',
  'default-value-definitions:read',
  'default-values:read',
  'deployments:read',
  'domains:read',
  'environments:read',
  'execution-environments:read',
  'freezes:read',
  'holds:read',
  'iac-resources:read',
  'infrastructure-events:read',
  'memberships:read',
  'module-definitions:read',
  'module-instances:read',
  'notification-events:read',
  'organizations:read',
  'pipeline-runs:read',
  'pipelines:read',
  'policies:read',
  'preview-environments:read',
  'projects:read',
  'promotion-rules:read',
  'role-grants:read',
  'service-accounts:read',
  'stacks:read',
  'teams:read',
] as const
const developer = [
  ...viewer,
  'approvals:write',
  'deployments:write',
  'holds:write',
  'module-instances:write',
  'pipeline-runs:write',
  'pipelines:write',
  'preview-environments:write',
  'stacks:write',
] as const
const admin = [
  ...developer,
  'approval-rules:write',
  'certificates:write',
  'cloud-accounts:write',
  'code-sources:write',
  'default-value-definitions:write',
  'default-values:write',
  'domains:write',
  'environments:write',
  'execution-environments:write',
  'freezes:override',
  'freezes:write',
  'iac-states:read',
  'iac-states:write',
  'module-definitions:write',
  'notification-channels:read',
  'notification-channels:write',
  'pipeline-runs:skip',
  'policies:override',
  'policies:write',
  'preview-templates:write',
  'price-list:write',
  'projects:write',
  'promotion-rules:override',
  'promotion-rules:write',
] as const
const owner = [
  ...admin,
  'api-keys:write',
  'audit-events:read',
  'invitations:read',
  'invitations:write',
  'memberships:write',
  'organizations:write',
  'role-grants:write',
  'service-accounts:write',
  'teams:write',
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

/** What somebody may be on a project or an environment. */
export const grantedRoles = ['VIEWER', 'APPROVER', 'DEPLOYER', 'DEVELOPER', 'ADMIN'] as const
export type GrantedRole = (typeof grantedRoles)[number]

/**
 * A viewer reads. An approver also decides about steps and pauses that wait; a deployer deploys and runs pipelines, but
 * approves nothing. A developer does both, and works with instances, pipelines and stacks. An admin also changes the
 * project or the environment itself, its default values and its states.
 */
export const grantedPermissionsOf = {
  VIEWER: viewer,
  APPROVER: [...viewer, 'approvals:write'],
  DEPLOYER: [...viewer, 'deployments:write', 'holds:write', 'pipeline-runs:write'],
  DEVELOPER: developer,
  ADMIN: [
    ...developer,
    'approval-rules:write',
    'default-values:write',
    'domains:write',
    'environments:write',
    'freezes:override',
    'freezes:write',
    'iac-states:read',
    'iac-states:write',
    'pipeline-runs:skip',
    'policies:override',
    'policies:write',
    'preview-templates:write',
    'projects:write',
    'promotion-rules:override',
    'promotion-rules:write',
  ],
} as const satisfies Record<GrantedRole, readonly Permission[]>
