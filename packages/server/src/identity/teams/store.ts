import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type TeamRow, teams } from './tables.ts'

/** The index that keeps names unique within an organization. */
export const nameIndex = 'teams_organization_name'

const isOne = (organizationId: string, id: string) => and(eq(teams.organizationId, organizationId), eq(teams.id, id))

export async function findTeam(db: Db, organizationId: string, id: string): Promise<TeamRow | undefined> {
  const [row] = await db.select().from(teams).where(isOne(organizationId, id))
  return row
}

/** The team, if there is one; it cannot be deleted before the transaction ends. */
export async function holdTeam(tx: Db, organizationId: string, id: string): Promise<TeamRow | undefined> {
  const [row] = await tx.select().from(teams).where(isOne(organizationId, id)).for('key share')
  return row
}

export const listTeams = (db: Db, organizationId: string, page: PageBounds): Promise<PageRows<TeamRow>> =>
  selectPage(db, teams, eq(teams.organizationId, organizationId), page)

export async function insertTeam(tx: Db, team: { organizationId: string; name: string }): Promise<TeamRow> {
  const [row] = await tx
    .insert(teams)
    .values({ id: newId('team'), ...team })
    .returning()
  if (!row) throw new Error('an insert returned nothing')
  return row
}

export async function updateTeam(
  tx: Db,
  organizationId: string,
  id: string,
  change: { name?: string },
): Promise<TeamRow | undefined> {
  const [row] = await tx
    .update(teams)
    .set({ ...change, updatedAt: sql`now()` })
    .where(isOne(organizationId, id))
    .returning()
  return row
}

/** Removes a team; who is in it, and what it was given, goes with it. */
export async function removeTeam(tx: Db, organizationId: string, id: string): Promise<TeamRow | undefined> {
  const [row] = await tx.delete(teams).where(isOne(organizationId, id)).returning()
  return row
}
