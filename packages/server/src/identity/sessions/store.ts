import type { SessionLife } from '../../platform/auth/session-cookie.ts'
import { and, eq, gt, inArray, lte, ne, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { memberships } from '../organizations/tables.ts'
import { sessions } from './tables.ts'

export type SessionRow = typeof sessions.$inferSelect

const secondsAfter = (moment: Date, seconds: number): Date => new Date(moment.getTime() + seconds * 1_000)

/** Returns the new expiry of a session that is used now. */
const expiry = ({ clock, unusedS }: SessionLife): Date => secondsAfter(clock(), unusedS)

/** Returns the latest end of a session, regardless of use. */
const lastEnd = ({ longestS }: SessionLife) => sql`${sessions.createdAt} + make_interval(secs => ${longestS})`

/** Selects live sessions. The current maximum lifetime also applies to older sessions. */
export function isAlive(life: SessionLife): SQL | undefined {
  const now = life.clock()
  return and(gt(sessions.expiresAt, now), gt(sessions.createdAt, secondsAfter(now, -life.longestS)))
}

/** Membership of the user whose sessions are listed. */
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

/** Inserts a session and deletes the membership's expired ones. */
export async function insertSession(tx: Db, session: NewSession, life: SessionLife): Promise<string> {
  const id = newId('ses')
  const now = life.clock()
  await tx.delete(sessions).where(and(areOwn(session), lte(sessions.expiresAt, now)))
  await tx.insert(sessions).values({ id, ...session, createdAt: now, expiresAt: expiry(life), lastUsedAt: now })
  return id
}

/** Extends a session up to its maximum lifetime, at most once a minute to save writes. */
export async function extendSession(db: Db, id: string, life: SessionLife): Promise<void> {
  const now = life.clock()
  const expiresAt = sql`least(${sql.param(expiry(life), sessions.expiresAt)}, ${lastEnd(life)})`
  await db
    .update(sessions)
    .set({ lastUsedAt: now, expiresAt })
    .where(and(eq(sessions.id, id), lte(sessions.lastUsedAt, secondsAfter(now, -60))))
}

/** Deletes the session with this id or token. */
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

/** Deletes the user's sessions in all organizations, except the one with this token. */
export async function removeOtherSessions(tx: Db, userId: string, exceptTokenHash: string): Promise<void> {
  const ofUser = tx.select({ id: memberships.id }).from(memberships).where(eq(memberships.userId, userId))
  await tx.delete(sessions).where(and(inArray(sessions.membershipId, ofUser), ne(sessions.tokenHash, exceptTokenHash)))
}
