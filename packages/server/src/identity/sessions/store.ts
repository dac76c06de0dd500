import type { SessionLife } from '../../platform/auth/session-cookie.ts'
import { and, eq, gt, inArray, lte, ne, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { memberships } from '../organizations/tables.ts'
import { sessions } from './tables.ts'

export type SessionRow = typeof sessions.$inferSelect

/** When a session that is used now expires. By the database's clock, which all processes share. */
const expiry = ({ unusedS }: SessionLife) => sql`now() + make_interval(secs => ${unusedS})`

/** When a session ends at the latest, however much it is used. */
const lastEnd = ({ longestS }: SessionLife) => sql`${sessions.createdAt} + make_interval(secs => ${longestS})`

/** Whether a session still lives: also one that was begun when sessions lived longer. */
export const isAlive = (life: SessionLife) => and(gt(sessions.expiresAt, sql`now()`), gt(lastEnd(life), sql`now()`))

/** Whose sessions: a person sees those of the own membership alone. */
export type Own = { organizationId: string; membershipId: string }

const areOwn = ({ organizationId, membershipId }: Own) =>
  and(eq(sessions.organizationId, organizationId), eq(sessions.membershipId, membershipId))

export const listSessions = (db: Db, own: Own, life: SessionLife, page: PageBounds): Promise<PageRows<SessionRow>> =>
  selectPage(db, sessions, and(areOwn(own), isAlive(life)), page)

export type NewSession = Own &
  Pick<SessionRow, 'identityId' | 'tokenHash' | 'ipAddress'> & {
    userAgent: string | undefined
    providerSessionId: string | undefined
  }

/** Adds a session, and clears away those of the membership that have expired. */
export async function insertSession(tx: Db, session: NewSession, life: SessionLife): Promise<string> {
  const id = newId('ses')
  await tx.delete(sessions).where(and(areOwn(session), lte(sessions.expiresAt, sql`now()`)))
  await tx.insert(sessions).values({ id, ...session, expiresAt: expiry(life), lastUsedAt: sql`now()` })
  return id
}

/** Puts off a session's end, as far as sessions go. To the minute is enough, and spares a write per request. */
export async function extendSession(db: Db, id: string, life: SessionLife): Promise<void> {
  await db
    .update(sessions)
    .set({ lastUsedAt: sql`now()`, expiresAt: sql`least(${expiry(life)}, ${lastEnd(life)})` })
    .where(and(eq(sessions.id, id), lte(sessions.lastUsedAt, sql`now() - interval '1 minute'`)))
}

/** Ends the session of that id or that token. */
export async function removeSession(
  tx: Db,
  own: Own,
  which: { id: string } | { tokenHash: string },
): Promise<string | undefined> {
  const isIt = 'id' in which ? eq(sessions.id, which.id) : eq(sessions.tokenHash, which.tokenHash)
  const [row] = await tx
    .delete(sessions)
    .where(and(areOwn(own), isIt))
    .returning()
  return row?.id
}

/** Ends the user's sessions in all organizations, except for the one of that token. */
export async function removeOtherSessions(tx: Db, userId: string, exceptTokenHash: string): Promise<void> {
  const ofUser = tx.select({ id: memberships.id }).from(memberships).where(eq(memberships.userId, userId))
  await tx.delete(sessions).where(and(inArray(sessions.membershipId, ofUser), ne(sessions.tokenHash, exceptTokenHash)))
}
