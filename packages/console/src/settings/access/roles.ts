import { roles } from '@sluice/contract'

const does = {
  VIEWER: 'read only',
  DEVELOPER: 'also deploys, approves, and changes pipelines',
  ADMIN: 'also manages accounts, sources, default values, and modules',
  OWNER: 'also manages members, keys, and the organization',
} as const

/** Role options with descriptions, from lowest to highest. */
export const roleOptions = roles.map((role) => ({ value: role, label: `${roleName(role)}: ${does[role]}` }))

/** Role options without descriptions. */
export const roleNames = roles.map((role) => ({ value: role, label: roleName(role) }))

/** Returns the display name of a role. */
export function roleName(role: string): string {
  return role.charAt(0) + role.slice(1).toLowerCase()
}
