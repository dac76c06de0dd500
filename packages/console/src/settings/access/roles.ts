import { roles } from '@sluice/contract'

const does = {
  VIEWER: 'read only',
  DEVELOPER: 'also deploys, approves, and changes pipelines',
  ADMIN: 'also manages accounts, sources, default values, and modules',
  OWNER: 'also manages members, keys, and the organization',
} as const

/** The roles as people choose among them, from least to most. */
export const roleOptions = roles.map((role) => ({ value: role, label: `${nameOf(role)}: ${does[role]}` }))

/** The same where there is little room. */
export const roleNames = roles.map((role) => ({ value: role, label: nameOf(role) }))

function nameOf(role: string): string {
  return role.charAt(0) + role.slice(1).toLowerCase()
}
