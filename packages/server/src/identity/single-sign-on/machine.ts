import type { GroupRole } from '@sluice/contract'
import { type Role, roles } from '@sluice/contract'

/** What a provider says of a person, once its signature has been looked at. */
export type Said = Readonly<Record<string, unknown>> & { sub: string }

/** What of it counts, and for whom. */
export type Rules = {
  /** Those whose addresses the provider may speak for. */
  domains: readonly string[]
  groupsClaim: string
  groupRoles: readonly GroupRole[]
  defaultRole: Role | undefined
}

/** Why somebody is not let in. */
export type Fault = 'signInAddressUnverified' | 'signInDomainForeign' | 'signInWithoutRole'

/**
 * The address that the provider says is the person's, in lower case: only one that it has verified, in a domain that it
 * may speak for. Any other could be of somebody else, whose account would be taken over with it.
 */
export function addressIn({ email, email_verified: isVerified }: Said, { domains }: Rules): { email: string } | Fault {
  if (isVerified !== true || typeof email !== 'string') return 'signInAddressUnverified'
  const normal = email.toLowerCase()
  if (normal.length > 254 || !/^[^\s@]+@[^\s@]+$/.test(normal)) return 'signInAddressUnverified'
  return domains.includes(domainOf(normal)) ? { email: normal } : 'signInDomainForeign'
}

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

/** The highest role of the person's groups, or the one of who is in none of them. */
export function roleIn(said: Said, { groupsClaim, groupRoles, defaultRole }: Rules): Role | 'signInWithoutRole' {
  const groups = Object.hasOwn(said, groupsClaim) ? [said[groupsClaim]].flat() : []
  const given = groupRoles.filter(({ group }) => groups.includes(group)).map(({ role }) => role)
  return roles.findLast((role) => given.includes(role)) ?? defaultRole ?? 'signInWithoutRole'
}

/** What the person is called. */
export const nameIn = ({ name }: Said, email: string): string =>
  typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 200) : email
