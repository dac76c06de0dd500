import { type Permission, permissionsOf, roles } from '@sluice/contract'
import { useContext } from 'react'
import { PermissionScopeContext } from './scope.ts'
import { useOperation } from './use-operation.ts'

export type PermissionCheck = {
  isAllowed: boolean
  /** Explains a missing permission; empty while loading and if allowed. */
  reason: string
}

const unknown: PermissionCheck = { isAllowed: false, reason: '' }

/**
 * Returns whether the caller has a permission in the scope of this part of the page. In the organization, a permission
 * in any scope is enough, because the server checks the exact scope.
 */
export function usePermission(permission: Permission): PermissionCheck {
  const here = useContext(PermissionScopeContext)
  const isComplete = here === 'organization'
  const { data: principal } = useOperation('whoami', {}, { staleTime: 60_000 })
  const role = principal?.data.role
  const isEverywhere = role === 'OWNER' || role === 'ADMIN' // the role grants it everywhere, so no request is needed
  const asked = { enabled: role !== undefined && !isEverywhere, staleTime: 10_000 }
  const { data: answer } = useOperation(
    'getPermissions',
    { query: here === undefined || isComplete ? {} : here },
    asked,
  )
  if (role === undefined) return unknown
  if (isEverywhere)
    return roleGrants(role, permission) ? allowed : { isAllowed: false, reason: explainMissingRole(role, permission) }
  if (!answer) return unknown
  const { permissions, inAnyScope = [] } = answer.data
  if ([...permissions, ...(isComplete ? [] : inAnyScope)].includes(permission)) return allowed
  return {
    isAllowed: false,
    reason:
      here && !isComplete ? `Your roles here don’t allow this. ${askOwner}` : explainMissingRole(role, permission),
  }
}

const allowed: PermissionCheck = { isAllowed: true, reason: '' }
const askOwner = 'Ask an owner to grant you a role under Settings, Access.'

const roleGrants = (role: (typeof roles)[number], permission: Permission): boolean =>
  (permissionsOf[role] as readonly Permission[]).includes(permission)

function explainMissingRole(role: (typeof roles)[number], permission: Permission): string {
  const least = roles.find((one) => roleGrants(one, permission)) ?? 'OWNER'
  return `This requires the ${nameOf(least)} role. Your role is ${nameOf(role)}.`
}

const nameOf = (role: string): string => role.toLowerCase()
