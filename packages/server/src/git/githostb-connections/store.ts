import { and, eq, isNull, lt, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type GithostbConnectionRow, githostbConnections } from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(githostbConnections.organizationId, organizationId), eq(githostbConnections.id, id))

type Connected = Pick<
  GithostbConnectionRow,
  'instanceId' | 'baseUrl' | 'hostUserId' | 'userName' | 'connectedById' | 'sealedTokens' | 'expiresAt'
>

/** Stores an authorized connection, or replaces the tokens if the same person authorizes again. */
export async function upsertConnection(
  tx: Db,
  organizationId: string,
  connected: Connected,
): Promise<GithostbConnectionRow> {
  const { organizationId: organization, baseUrl, hostUserId } = githostbConnections
  const [row] = await tx
    .insert(githostbConnections)
    .values({ ...connected, id: newId('ghb'), organizationId })
    .onConflictDoUpdate({
      target: [organization, baseUrl, hostUserId],
      set: {
        ...connected,
        tokenVersion: sql`${githostbConnections.tokenVersion} + 1`,
        renewingUntil: null,
        accessLost: false,
        updatedAt: sql`now()`,
      },
    })
    .returning()
  if (!row) throw new Error('the connection was not inserted')
  return row
}

export function listConnections(
  db: Db,
  organizationId: string,
  page: PageBounds,
): Promise<PageRows<GithostbConnectionRow>> {
  return selectPage(db, githostbConnections, eq(githostbConnections.organizationId, organizationId), page)
}

export async function findGithostbConnection(
  db: Db,
  organizationId: string,
  id: string,
): Promise<GithostbConnectionRow | undefined> {
  const [row] = await db.select().from(githostbConnections).where(one(organizationId, id))
  return row
}

/** Leases the refresh of the current tokens. Returns undefined if another process has it or has finished. */
export async function leaseTokenRefresh(
  db: Db,
  { organizationId, id, tokenVersion }: GithostbConnectionRow,
  { now, until }: { now: Date; until: Date },
): Promise<GithostbConnectionRow | undefined> {
  const isFree = or(isNull(githostbConnections.renewingUntil), lt(githostbConnections.renewingUntil, now))
  return change(db, and(one(organizationId, id), eq(githostbConnections.tokenVersion, tokenVersion), isFree), {
    renewingUntil: until,
  })
}

/** Ends a refresh: with new tokens, lost access, or no change. */
export async function endRenewal(
  db: Db,
  { organizationId, id, tokenVersion }: GithostbConnectionRow,
  changes: { sealedTokens: string; expiresAt: Date } | { accessLost: true } | Record<never, never>,
): Promise<GithostbConnectionRow | undefined> {
  const isNew = 'sealedTokens' in changes
  return change(db, and(one(organizationId, id), eq(githostbConnections.tokenVersion, tokenVersion)), {
    ...changes,
    ...(isNew && { accessLost: false, tokenVersion: tokenVersion + 1 }),
    renewingUntil: null,
  })
}

async function change(db: Db, where: ReturnType<typeof one>, changes: Partial<GithostbConnectionRow>) {
  const [row] = await db
    .update(githostbConnections)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(where)
    .returning()
  return row
}

export async function removeConnection(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx.delete(githostbConnections).where(one(organizationId, id))
}
