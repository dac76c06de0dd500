import type { SessionLife } from '../../platform/auth/session-cookie.ts'
import { and, eq, gt, inArray, lte, ne, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { memberships } from '../organizations/tables.ts'
import { sessions } from './tables.ts'

export type SessionRow = typeof sessions.$inferSelect

const secondsAfter = (moment: Date, seconds: number): Date => new Date(moment.getTime() + seconds * 1_000)

/** When a session that is used now expires. */
const expiry = ({ clock, unusedS }: SessionLife): Date => secondsAfter(clock(), unusedS)

/** When a session ends at the latest, however much it is used. */
const lastEnd = ({ longestS }: SessionLife) => sql`${sessions.createdAt} + make_interval(secs => ${longestS})`

/** Whether a session still lives: also one that was begun when sessions lived longer. */
export function isAlive(life: SessionLife): SQL | undefined {
  const now = life.clock()
  return and(gt(sessions.expiresAt, now), gt(sessions.createdAt, secondsAfter(now, -life.longestS)))
}

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
  const now = life.clock()
  await tx.delete(sessions).where(and(areOwn(session), lte(sessions.expiresAt, now)))
  await tx.insert(sessions).values({ id, ...session, createdAt: now, expiresAt: expiry(life), lastUsedAt: now })
  return id
}

/** Puts off a session's end, as far as sessions go. To the minute is enough, and spares a write per request. */
export async function extendSession(db: Db, id: string, life: SessionLife): Promise<void> {
  const now = life.clock()
  const expiresAt = sql`least(${sql.param(expiry(life), sessions.expiresAt)}, ${lastEnd(life)})`
  await db
    .update(sessions)
    .set({ lastUsedAt: now, expiresAt })
    .where(and(eq(sessions.id, id), lte(sessions.lastUsedAt, secondsAfter(now, -60))))
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
