import { type Permission, permissionsOf, roles } from '@sluice/contract'
import { useOperation } from './use-operation.ts'

export type May = {
  isAllowed: boolean
  /** Why not, for people; empty while nobody knows and where it is allowed. */
  reason: string
}

/** Whether the caller may do something, by the same table of roles that the service judges by. */
export function useMay(permission: Permission): May {
  const { data: principal } = useOperation('whoami', {}, { staleTime: 60_000 })
  if (!principal) return { isAllowed: false, reason: '' }
  const { role } = principal.data
  if (grants(role, permission)) return { isAllowed: true, reason: '' }
  const least = roles.find((one) => grants(one, permission)) ?? 'OWNER'
  return { isAllowed: false, reason: `This takes the role ${nameOf(least)}; yours is ${nameOf(role)}.` }
}

const grants = (role: (typeof roles)[number], permission: Permission): boolean =>
  (permissionsOf[role] as readonly Permission[]).includes(permission)

const nameOf = (role: string): string => role.toLowerCase()
