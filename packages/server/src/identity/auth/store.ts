import type { Principal } from '@sluice/contract'
import type { Credential } from '../../platform/auth/credential.ts'
import type { SessionLife } from '../../platform/auth/session-cookie.ts'
import { and, eq, gt, isNull, lt, or } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { auditEvents } from '../audit-events/tables.ts'
import { apiKeys, identities, memberships, organizations, serviceAccounts, users } from '../organizations/tables.ts'
import { extendSession, isAlive } from '../sessions/store.ts'
import { sessions } from '../sessions/tables.ts'

/** Returns the owner of a credential, or undefined if it is unknown, expired or revoked. */
export const findCaller = (
  db: Db,
  { type, tokenHash }: Pick<Credential, 'type' | 'tokenHash'>,
  life: SessionLife,
): Promise<Principal | undefined> =>
  type === 'SESSION' ? findSignedIn(db, tokenHash, life) : findKeyHolder(db, tokenHash, life.clock())

async function findSignedIn(db: Db, tokenHash: string, life: SessionLife): Promise<Principal | undefined> {
  const [row] = await db
    .select({
      session: sessions,
      organization: organizations,
      membership: memberships,
      user: users,
      identity: identities,
    })
    .from(sessions)
    .innerJoin(identities, eq(identities.id, sessions.identityId))
    .innerJoin(organizations, eq(organizations.id, sessions.organizationId))
    .innerJoin(memberships, eq(memberships.id, sessions.membershipId))
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(sessions.tokenHash, tokenHash), isAlive(life)))
  if (!row) return undefined
  const { session, organization, membership, user, identity } = row
  await extendSession(db, session.id, life)
  return {
    authSource: 'COOKIE',
    identityId: session.identityId,
    identityType: identity.type,
    ...tenant(organization),
    ...member(membership, user),
  }
}

/** Selects API keys that are neither revoked nor expired. */
export const isLive = (now: Date) =>
  and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)))

async function findKeyHolder(db: Db, tokenHash: string, now: Date): Promise<Principal | undefined> {
  const [row] = await db
    .select({ key: apiKeys, organization: organizations, membership: memberships, user: users, serviceAccounts })
    .from(apiKeys)
    .innerJoin(organizations, eq(organizations.id, apiKeys.organizationId))
    .leftJoin(memberships, eq(memberships.id, apiKeys.membershipId))
    .leftJoin(users, eq(users.id, memberships.userId))
    .leftJoin(serviceAccounts, eq(serviceAccounts.id, apiKeys.serviceAccountId))
    .where(and(eq(apiKeys.tokenHash, tokenHash), isLive(now)))
  if (!row) return undefined
  const { key, organization, membership, user, serviceAccounts: serviceAccount } = row
  await markUsed(db, key.id, now)

  const credential = {
    authSource: 'API_KEY',
    identityId: key.id,
    identityType: key.trustId === null ? 'API_KEY' : 'ID_TOKEN',
    ...tenant(organization),
  } as const
  if (membership && user) return { ...credential, ...member(membership, user) }
  if (!serviceAccount) return undefined
  return { ...credential, ...serviceAccountOf(serviceAccount) }
}

/**
 * Lists the addresses from which a user has signed in, as far as the audit log reaches back. `email` must be in lower
 * case.
 */
export async function listSignInAddresses(db: Db, email: string): Promise<string[]> {
  const found = await db
    .selectDistinct({ address: auditEvents.ipAddress })
    .from(users)
    .innerJoin(memberships, eq(memberships.userId, users.id))
    .innerJoin(
      auditEvents,
      and(eq(auditEvents.organizationId, memberships.organizationId), eq(auditEvents.actorId, memberships.id)),
    )
    .where(and(eq(users.email, email), eq(auditEvents.action, 'sessions.create')))
    .limit(1_000)
  return found.flatMap(({ address }) => address ?? [])
}

/** Returns a service account as the caller of internal requests, or undefined if it no longer exists. */
export async function findServiceAccountCaller(
  db: Db,
  { organizationId, serviceAccountId }: { organizationId: string; serviceAccountId: string },
): Promise<Principal | undefined> {
  const [row] = await db
    .select({ account: serviceAccounts, organization: organizations })
    .from(serviceAccounts)
    .innerJoin(organizations, eq(organizations.id, serviceAccounts.organizationId))
    .where(and(eq(serviceAccounts.organizationId, organizationId), eq(serviceAccounts.id, serviceAccountId)))
  if (!row) return undefined
  const { account, organization } = row
  // Like a caller with an ID token, it cannot create keys.
  const credential = { authSource: 'API_KEY', identityId: account.id, identityType: 'ID_TOKEN' } as const
  return { ...credential, ...tenant(organization), ...serviceAccountOf(account) }
}

const serviceAccountOf = ({ id, name, role }: typeof serviceAccounts.$inferSelect) => ({
  principalType: 'SERVICE_ACCOUNT' as const,
  membershipId: id,
  role,
  userId: id,
  email: '',
  globalRole: 'USER' as const,
  fullName: name,
})

export const tenant = ({ id, name }: typeof organizations.$inferSelect) => ({
  organizationId: id,
  organizationName: name,
})

export const member = (membership: typeof memberships.$inferSelect, user: typeof users.$inferSelect) => ({
  principalType: 'MEMBERSHIP' as const,
  membershipId: membership.id,
  role: membership.role,
  userId: user.id,
  email: user.email,
  globalRole: user.globalRole,
  ...(user.fullName !== null && { fullName: user.fullName }),
  ...(user.shortName !== null && { shortName: user.shortName }),
})

/** Updates `lastUsedAt` at most once a minute, to save a write per request. */
async function markUsed(db: Db, keyId: string, now: Date): Promise<void> {
  const staleAt = new Date(now.getTime() - 60_000)
  await db
    .update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.id, keyId), or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, staleAt))))
}
