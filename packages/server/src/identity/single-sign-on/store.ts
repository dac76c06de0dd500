import { and, eq, inArray, isNull, lt } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { identities } from '../organizations/tables.ts'
import { sessions } from '../sessions/tables.ts'
import { installationId, type Provider } from './provider.ts'
import { spentTokens } from './tables.ts'

/** Marks an id as used. Returns false if it was used before. */
export async function markUsed(tx: Db, id: string, expiresAt: Date): Promise<boolean> {
  const spent = await tx.insert(spentTokens).values({ id, expiresAt }).onConflictDoNothing().returning()
  return spent.length > 0
}

export async function deleteExpiredSpentTokens(db: Db, now: Date): Promise<void> {
  await db.delete(spentTokens).where(lt(spentTokens.expiresAt, now))
}

type Who = Pick<Provider, 'id' | 'issuer'>

/** Selects identities of a provider, which are matched by subject and never by email address. */
const areOf = ({ id, issuer }: Who) =>
  id === installationId
    ? and(isNull(identities.providerId), eq(identities.issuer, issuer))
    : eq(identities.providerId, id)

export type LinkedIdentity = { identityId: string; userId: string }

export async function findLinked(db: Db, provider: Who, subject: string): Promise<LinkedIdentity | undefined> {
  const [row] = await db
    .select({ identityId: identities.id, userId: identities.userId })
    .from(identities)
    .where(and(areOf(provider), eq(identities.subject, subject)))
  return row
}

export async function insertLinked(
  tx: Db,
  { id, issuer }: Who,
  { userId, subject }: { userId: string; subject: string },
): Promise<LinkedIdentity> {
  const identityId = newId('idn')
  const providerId = id === installationId ? null : id
  await tx.insert(identities).values({ id: identityId, userId, type: 'SINGLE_SIGN_ON', providerId, issuer, subject })
  return { identityId, userId }
}

/** Returns the provider of a session, or undefined if it began with a password. */
export async function providerOfSession(db: Db, identityId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ type: identities.type, providerId: identities.providerId })
    .from(identities)
    .where(eq(identities.id, identityId))
  return row?.type === 'SINGLE_SIGN_ON' ? (row.providerId ?? installationId) : undefined
}

/** Ends the sessions of a user or of one session at the provider. */
export function removeSessionsOf(
  tx: Db,
  provider: Who,
  { subject, sid }: { subject: string | undefined; sid: string | undefined },
): Promise<{ id: string; organizationId: string }[]> {
  const whose = and(areOf(provider), subject === undefined ? undefined : eq(identities.subject, subject))
  const begun = tx.select({ id: identities.id }).from(identities).where(whose)
  return tx
    .delete(sessions)
    .where(
      and(inArray(sessions.identityId, begun), sid === undefined ? undefined : eq(sessions.providerSessionId, sid)),
    )
    .returning({ id: sessions.id, organizationId: sessions.organizationId })
}
