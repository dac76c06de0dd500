import { type GroupRole, type GroupTeam, type Role, roles } from '@sluice/contract'

/** Verified claims of a user. */
export type VerifiedClaims = Readonly<Record<string, unknown>> & { sub: string }

/** Settings of a provider that determine role and teams. */
export type Rules = {
  /** Email domains for which the provider may speak. */
  domains: readonly string[]
  groupsClaim: string
  groupRoles: readonly GroupRole[]
  groupTeams: readonly GroupTeam[]
  defaultRole: Role | undefined
}

/** Reason why a user is not admitted. */
export type SignInProblem = 'signInAddressUnverified' | 'signInDomainForeign' | 'signInWithoutRole'

/**
 * Returns the user's email address in lower case. It must be verified and in one of the provider's domains, because
 * another address could take over someone else's account.
 */
export function addressIn(
  { email, email_verified: isVerified }: VerifiedClaims,
  { domains }: Rules,
): { email: string } | SignInProblem {
  if (isVerified !== true || typeof email !== 'string') return 'signInAddressUnverified'
  const normal = email.toLowerCase()
  if (normal.length > 254 || !/^[^\s@]+@[^\s@]+$/.test(normal)) return 'signInAddressUnverified'
  return domains.includes(domainOf(normal)) ? { email: normal } : 'signInDomainForeign'
}

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

/** Returns the highest role of the user's groups, or the default role. */
export function roleIn(
  claims: VerifiedClaims,
  { groupsClaim, groupRoles, defaultRole }: Rules,
): Role | 'signInWithoutRole' {
  const groups = groupsIn(claims, groupsClaim)
  const given = groupRoles.filter(({ group }) => groups.includes(group)).map(({ role }) => role)
  return roles.findLast((role) => given.includes(role)) ?? defaultRole ?? 'signInWithoutRole'
}

/** Returns the teams of the user's groups, without duplicates. */
export function teamsIn(claims: VerifiedClaims, { groupsClaim, groupTeams }: Rules): string[] {
  const groups = groupsIn(claims, groupsClaim)
  return [...new Set(groupTeams.filter(({ group }) => groups.includes(group)).map(({ teamId }) => teamId))]
}

/** Returns the groups claim as a list. A single group may come as a plain value. */
const groupsIn = (claims: VerifiedClaims, groupsClaim: string): unknown[] =>
  Object.hasOwn(claims, groupsClaim) ? [claims[groupsClaim]].flat() : []

/** Returns the user's display name. */
export const nameIn = ({ name }: VerifiedClaims, email: string): string =>
  typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 200).toWellFormed() : email
