import { type Permission, permissionsOf, roles } from '@sluice/contract'
import { useContext } from 'react'
import { Here } from './place.ts'
import { useOperation } from './use-operation.ts'

export type May = {
  isAllowed: boolean
  /** Why not, for people; empty while nobody knows and where it is allowed. */
  reason: string
}

const unknown: May = { isAllowed: false, reason: '' }

/**
 * Whether the caller may do something in the place that this part of the page is about, as the service says it. Where
 * that is the organization, what is allowed in one place at least is offered: the service knows where.
 */
export function useMay(permission: Permission): May {
  const here = useContext(Here)
  const isWhole = here === 'organization'
  const { data: principal } = useOperation('whoami', {}, { staleTime: 60_000 })
  const role = principal?.data.role
  const isEverywhere = role === 'OWNER' || role === 'ADMIN' // in all places what the role says: nothing to ask
  const asked = { enabled: role !== undefined && !isEverywhere, staleTime: 10_000 }
  const { data: answer } = useOperation('getPermissions', { query: here === undefined || isWhole ? {} : here }, asked)
  if (role === undefined) return unknown
  if (isEverywhere) return grants(role, permission) ? allowed : { isAllowed: false, reason: takes(role, permission) }
  if (!answer) return unknown
  const { permissions, somewhere = [] } = answer.data
  if ([...permissions, ...(isWhole ? [] : somewhere)].includes(permission)) return allowed
  return {
    isAllowed: false,
    reason: here && !isWhole ? `Your roles here don’t allow this. ${ask}` : takes(role, permission),
  }
}

const allowed: May = { isAllowed: true, reason: '' }
const ask = 'Ask an owner to grant you a role under Settings, Access.'

const grants = (role: (typeof roles)[number], permission: Permission): boolean =>
  (permissionsOf[role] as readonly Permission[]).includes(permission)

function takes(role: (typeof roles)[number], permission: Permission): string {
  const least = roles.find((one) => grants(one, permission)) ?? 'OWNER'
  return `This requires the ${nameOf(least)} role. Your role is ${nameOf(role)}.`
}

const nameOf = (role: string): string => role.toLowerCase()
