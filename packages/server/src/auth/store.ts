import { and, eq, gt, isNull, lt, or, sql } from 'drizzle-orm'
import { apiKeys, memberships, organizations, serviceAccounts, users } from '../organizations/tables.ts'
import type { Caller } from '../platform/auth/caller.ts'
import type { Db } from '../platform/db/open.ts'

/** Whom a live API key (by its SHA-256, hexadecimal) belongs to; undefined if it is unknown, expired or revoked. */
export async function findCaller(db: Db, tokenHash: string): Promise<Caller | undefined> {
  const [row] = await db
    .select({ key: apiKeys, organization: organizations, membership: memberships, user: users, serviceAccounts })
    .from(apiKeys)
    .innerJoin(organizations, eq(organizations.id, apiKeys.organizationId))
    .leftJoin(memberships, eq(memberships.id, apiKeys.membershipId))
    .leftJoin(users, eq(users.id, memberships.userId))
    .leftJoin(serviceAccounts, eq(serviceAccounts.id, apiKeys.serviceAccountId))
    .where(
      and(
        eq(apiKeys.tokenHash, tokenHash),
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`)),
      ),
    )
  if (!row) return undefined
  const { key, organization, membership, user, serviceAccounts: serviceAccount } = row
  await markUsed(db, key.id)

  const credential = {
    authSource: 'API_KEY',
    identityId: key.id,
    identityType: 'API_KEY',
    organizationId: organization.id,
    organizationName: organization.name,
  } as const
  if (membership && user) {
    return {
      ...credential,
      principalType: 'MEMBERSHIP',
      membershipId: membership.id,
      role: membership.role,
      userId: user.id,
      email: user.email,
      globalRole: user.globalRole,
      ...(user.fullName !== null && { fullName: user.fullName }),
      ...(user.shortName !== null && { shortName: user.shortName }),
    }
  }
  if (!serviceAccount) return undefined
  return {
    ...credential,
    principalType: 'SERVICE_ACCOUNT',
    membershipId: serviceAccount.id,
    role: serviceAccount.role,
    userId: serviceAccount.id,
    email: '',
    globalRole: 'USER',
    fullName: serviceAccount.name,
  }
}

/** `lastUsedAt` tells people whether a key is in use; to the minute is enough, and spares a write per request. */
async function markUsed(db: Db, keyId: string): Promise<void> {
  const staleAt = sql`now() - interval '1 minute'`
  await db
    .update(apiKeys)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(apiKeys.id, keyId), or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, staleAt))))
}
