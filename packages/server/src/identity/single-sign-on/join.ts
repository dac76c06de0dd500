import type { FastifyRequest } from 'fastify'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { recordChange } from '../audit-events/record.ts'
import {
  findMembershipOf,
  hasOtherOwner,
  insertMembership,
  type MembershipRow,
  updateRole,
} from '../memberships/store.ts'
import { findUser, findUserByEmail, insertUser, type UserRow } from '../users/store.ts'
import { addressIn, nameIn, roleIn, type SignInProblem, type VerifiedClaims } from './machine.ts'
import type { Provider } from './provider.ts'
import { findLinked, insertLinked, type LinkedIdentity } from './store.ts'
import { syncTeams } from './teams.ts'

export type Joined = LinkedIdentity & { membership: MembershipRow }

/** Creates or finds the user for the provider's claims, and the membership with the role of their groups. */
export async function join(
  tx: Db,
  provider: Provider,
  claims: VerifiedClaims,
  request: FastifyRequest,
): Promise<Joined> {
  const linked = (await findLinked(tx, provider, claims.sub)) ?? (await link(tx, provider, claims))
  const user = await findUser(tx, linked.userId)
  if (!user) throw new Error('an identity has no user')
  rejectSuperadmin(provider, user)
  const { organizationId } = provider
  if (organizationId === undefined) {
    const membership = await findMembershipOf(tx, user.id, undefined)
    if (!membership) throw refused('signInWithoutRole')
    return { ...linked, membership }
  }
  const membership = await becomeMember(tx, { ...provider, organizationId }, { claims, user, request })
  await syncTeams(tx, provider, { claims, user, membership, request })
  return { ...linked, membership }
}

/** Links the identity to the user with the same verified address in one of the provider's domains, or to a new user. */
async function link(tx: Db, provider: Provider, claims: VerifiedClaims): Promise<LinkedIdentity> {
  const address = addressIn(claims, provider)
  if (typeof address === 'string') throw refused(address)
  const { email } = address
  const known = await findUserByEmail(tx, email)
  if (known) rejectSuperadmin(provider, known)
  const user = known ?? (await insertUser(tx, { email, fullName: nameIn(claims, email) }))
  return insertLinked(tx, provider, { userId: user.id, subject: claims.sub })
}

/** Rejects superadmins, because an organization's provider must not sign in operators. */
function rejectSuperadmin({ id }: Provider, { globalRole }: UserRow): void {
  if (globalRole === 'SUPERADMIN' && id !== 'installation') throw refused('signInRefused')
}

type Joining = { claims: VerifiedClaims; user: UserRow; request: FastifyRequest }

async function becomeMember(
  tx: Db,
  provider: Provider & { organizationId: string },
  { claims, user, request }: Joining,
): Promise<MembershipRow> {
  const { organizationId } = provider
  const role = roleIn(claims, provider)
  const known = await findMembershipOf(tx, user.id, organizationId)
  // If no groups are mapped to roles, the organization manages roles itself.
  if (known && provider.groupRoles.length === 0) return known
  if (role === 'signInWithoutRole') throw refused(role)
  if (known?.role === role) return known
  // At least one owner must remain, even if the groups are wrong.
  if (known?.role === 'OWNER' && !(await hasOtherOwner(tx, organizationId, known.id))) return known

  const membership = known ?? (await insertMembership(tx, { organizationId, userId: user.id, role }))
  if (known) await updateRole(tx, organizationId, known.id, role)
  const { email } = user
  const caller = { organizationId, principalType: 'MEMBERSHIP', membershipId: membership.id, email } as const
  await recordChange(
    tx,
    { caller, request },
    {
      action: known ? 'memberships.update' : 'memberships.create',
      resourceType: 'membership',
      resourceId: membership.id,
      details: { email, role, identityProviderId: provider.id },
      ...(known && { before: { role: known.role } }),
    },
  )
  return { ...membership, role }
}

/** Creates the error with which a user is redirected to the sign-in page. */
export const refused = (key: SignInProblem | 'signInRefused' | 'signInStateInvalid', why = key as string): ApiError =>
  new ApiError(key, why)
