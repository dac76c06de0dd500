/** Roles in an organization, from least to most permissions. */
export const roles = ['VIEWER', 'DEVELOPER', 'ADMIN', 'OWNER'] as const
export type Role = (typeof roles)[number]

/** Roles in the whole installation. Superadmins see internal error details. */
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
 * Permissions of each role. A viewer reads. A developer also deploys, approves, and manages module instances, pipelines
 * and stacks. An admin also manages the configuration that these depend on. An owner also manages members, keys and the
 * organization, and reads invitations and the audit log.
 */
export const permissionsOf = {
  VIEWER: viewer,
  DEVELOPER: developer,
  ADMIN: admin,
  OWNER: owner,
} as const satisfies Record<Role, readonly Permission[]>

/** Roles on a project or an environment. */
export const grantedRoles = ['VIEWER', 'APPROVER', 'DEPLOYER', 'DEVELOPER', 'ADMIN'] as const
export type GrantedRole = (typeof grantedRoles)[number]

/**
 * Permissions of each role on a project or an environment. A viewer reads. An approver also decides about waiting steps
 * and pauses. A deployer deploys and runs pipelines, but cannot approve. A developer does both, and manages module
 * instances, pipelines and stacks. An admin also manages the project or environment itself, its default values and its
 * states.
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
