import { longestSessionS, sessionLifeS } from '../../platform/auth/session-cookie.ts'
import { and, eq, inArray, lte, ne, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { memberships } from '../organizations/tables.ts'
import { sessions } from './tables.ts'

/** When a session that is used now expires. By the database's clock, which all processes share. */
const expiry = sql`now() + make_interval(secs => ${sessionLifeS})`

/** When a session ends at the latest, however much it is used. */
export const lastEnd = sql`${sessions.createdAt} + make_interval(secs => ${longestSessionS})`

export type NewSession = { organizationId: string; membershipId: string; identityId: string; tokenHash: string }

/** Adds a session, and clears away those of the membership that have expired. */
export async function insertSession(tx: Db, session: NewSession): Promise<string> {
  const id = newId('ses')
  await tx
    .delete(sessions)
    .where(and(eq(sessions.membershipId, session.membershipId), lte(sessions.expiresAt, sql`now()`)))
  await tx.insert(sessions).values({ id, ...session, expiresAt: expiry, lastUsedAt: sql`now()` })
  return id
}

/** Puts off a session's end, as far as sessions go. To the minute is enough, and spares a write per request. */
export async function extendSession(db: Db, id: string): Promise<void> {
  await db
    .update(sessions)
    .set({ lastUsedAt: sql`now()`, expiresAt: sql`least(${expiry}, ${lastEnd})` })
    .where(and(eq(sessions.id, id), lte(sessions.lastUsedAt, sql`now() - interval '1 minute'`)))
}

export async function removeSession(tx: Db, organizationId: string, tokenHash: string): Promise<string | undefined> {
  const [row] = await tx
    .delete(sessions)
    .where(and(eq(sessions.organizationId, organizationId), eq(sessions.tokenHash, tokenHash)))
    .returning()
  return row?.id
}

/** Ends the user's sessions in all organizations, except for the one of that token. */
export async function removeOtherSessions(tx: Db, userId: string, exceptTokenHash: string): Promise<void> {
  const ofUser = tx.select({ id: memberships.id }).from(memberships).where(eq(memberships.userId, userId))
  await tx.delete(sessions).where(and(inArray(sessions.membershipId, ofUser), ne(sessions.tokenHash, exceptTokenHash)))
}
