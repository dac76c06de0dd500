import { and, eq, inArray, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type TeamRow, teams } from './tables.ts'

/** Unique index of names within an organization. */
export const nameIndex = 'teams_organization_name'

const isOne = (organizationId: string, id: string) => and(eq(teams.organizationId, organizationId), eq(teams.id, id))

export async function findTeam(db: Db, organizationId: string, id: string): Promise<TeamRow | undefined> {
  const [row] = await db.select().from(teams).where(isOne(organizationId, id))
  return row
}

/** Returns the team, locked against deletion until the transaction ends. */
export async function shareLockTeam(tx: Db, organizationId: string, id: string): Promise<TeamRow | undefined> {
  const [row] = await tx.select().from(teams).where(isOne(organizationId, id)).for('key share')
  return row
}

/** Returns the ids that are teams, locked against deletion until the transaction ends. */
export async function shareLockTeams(tx: Db, organizationId: string, ids: readonly string[]): Promise<string[]> {
  const found = await tx
    .select({ id: teams.id })
    .from(teams)
    .where(and(eq(teams.organizationId, organizationId), inArray(teams.id, [...ids])))
    .for('key share')
  return found.map(({ id }) => id)
}

/** Returns the ids of teams by name. */
export async function teamsNamed(
  db: Db,
  organizationId: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const found = await db
    .select({ id: teams.id, name: teams.name })
    .from(teams)
    .where(and(eq(teams.organizationId, organizationId), inArray(teams.name, [...names])))
  return new Map(found.map(({ id, name }) => [name, id]))
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

/** Deletes a team with its members and grants. */
export async function removeTeam(tx: Db, organizationId: string, id: string): Promise<TeamRow | undefined> {
  const [row] = await tx.delete(teams).where(isOne(organizationId, id)).returning()
  return row
}

/** Returns the names of existing teams. */
export async function namesOfTeams(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const found = await db
    .select({ id: teams.id, name: teams.name })
    .from(teams)
    .where(and(eq(teams.organizationId, organizationId), inArray(teams.id, [...ids])))
  return new Map(found.map(({ id, name }) => [id, name]))
}
