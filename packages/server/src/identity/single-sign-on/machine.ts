import { type GroupRole, type GroupTeam, type Role, roles } from '@sluice/contract'

/** What a provider says of a person, once its signature has been looked at. */
export type Said = Readonly<Record<string, unknown>> & { sub: string }

/** What of it counts, and for whom. */
export type Rules = {
  /** Those whose addresses the provider may speak for. */
  domains: readonly string[]
  groupsClaim: string
  groupRoles: readonly GroupRole[]
  groupTeams: readonly GroupTeam[]
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
  const groups = groupsIn(said, groupsClaim)
  const given = groupRoles.filter(({ group }) => groups.includes(group)).map(({ role }) => role)
  return roles.findLast((role) => given.includes(role)) ?? defaultRole ?? 'signInWithoutRole'
}

/** The teams of the person's groups, each once. */
export function teamsIn(said: Said, { groupsClaim, groupTeams }: Rules): string[] {
  const groups = groupsIn(said, groupsClaim)
  return [...new Set(groupTeams.filter(({ group }) => groups.includes(group)).map(({ teamId }) => teamId))]
}

/** One group may come as it is, without a list around it. */
const groupsIn = (said: Said, groupsClaim: string): unknown[] =>
  Object.hasOwn(said, groupsClaim) ? [said[groupsClaim]].flat() : []

/** What the person is called. */
export const nameIn = ({ name }: Said, email: string): string =>
  typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 200).toWellFormed() : email
