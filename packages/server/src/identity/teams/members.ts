import { and, eq, inArray, isNull, notInArray, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { memberships, serviceAccounts } from '../organizations/tables.ts'
import { holdTeams } from './store.ts'
import { type TeamMemberRow, teamMembers } from './tables.ts'

/** Who can be in a team, by the column that names it. */
export type Member = { membershipId: string } | { serviceAccountId: string }

/** The membership or service account, if the organization has it; it stays until the transaction ends. */
export async function holdMember(tx: Db, organizationId: string, id: string): Promise<Member | undefined> {
  const [membership] = await tx
    .select({ id: memberships.id })
    .from(memberships)
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.id, id)))
    .for('key share')
  if (membership) return { membershipId: id }
  const [account] = await tx
    .select({ id: serviceAccounts.id })
    .from(serviceAccounts)
    .where(and(eq(serviceAccounts.organizationId, organizationId), eq(serviceAccounts.id, id)))
    .for('key share')
  return account && { serviceAccountId: id }
}

/** Returns which of these are members or service accounts of the organization now: others have left it. */
export async function presentMembers(db: Db, organizationId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const tables = [memberships, serviceAccounts]
  const found = tables.map((table) =>
    db
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.organizationId, organizationId), inArray(table.id, [...ids]))),
  )
  return new Set((await Promise.all(found)).flat().map(({ id }) => id))
}

const isOne = (organizationId: string, id: string) =>
  and(eq(teamMembers.organizationId, organizationId), eq(teamMembers.id, id))

export async function findTeamMember(db: Db, organizationId: string, id: string): Promise<TeamMemberRow | undefined> {
  const [row] = await db.select().from(teamMembers).where(isOne(organizationId, id))
  return row
}

export function listTeamMembers(
  db: Db,
  organizationId: string,
  { teamId, memberId }: { teamId?: string; memberId?: string },
  page: PageBounds,
): Promise<PageRows<TeamMemberRow>> {
  const where = and(
    eq(teamMembers.organizationId, organizationId),
    teamId === undefined ? undefined : eq(teamMembers.teamId, teamId),
    memberId === undefined
      ? undefined
      : or(eq(teamMembers.membershipId, memberId), eq(teamMembers.serviceAccountId, memberId)),
  )
  return selectPage(db, teamMembers, where, page)
}

/** Puts somebody in a team by hand; whom a group put there stays from now on. Undefined if the team has the member. */
export async function insertTeamMember(
  tx: Db,
  member: Member & { organizationId: string; teamId: string },
): Promise<TeamMemberRow | undefined> {
  const [row] = await tx
    .insert(teamMembers)
    .values({ id: newId('tmb'), ...member })
    .onConflictDoNothing()
    .returning()
  if (row || !('membershipId' in member)) return row
  const [kept] = await tx
    .update(teamMembers)
    .set({ source: 'MANUAL', providerId: null, updatedAt: sql`now()` })
    .where(
      and(
        eq(teamMembers.organizationId, member.organizationId),
        eq(teamMembers.teamId, member.teamId),
        eq(teamMembers.membershipId, member.membershipId),
        eq(teamMembers.source, 'GROUP'),
      ),
    )
    .returning()
  return kept
}

/** Who was put in teams by the groups of a provider; null: of the installation's. */
export type OfGroups = { organizationId: string; providerId: string | null }

const cameBy = ({ organizationId, providerId }: OfGroups) =>
  and(
    eq(teamMembers.organizationId, organizationId),
    eq(teamMembers.source, 'GROUP'),
    providerId === null ? isNull(teamMembers.providerId) : eq(teamMembers.providerId, providerId),
  )

/** Puts a member in the teams of their groups that there are; those that they are in already are left out. */
export async function insertByGroups(
  tx: Db,
  { organizationId, providerId }: OfGroups,
  membershipId: string,
  teamIds: readonly string[],
): Promise<TeamMemberRow[]> {
  const present = await holdTeams(tx, organizationId, teamIds)
  if (present.length === 0) return []
  const rows = present.map((teamId) => ({
    id: newId('tmb'),
    organizationId,
    teamId,
    membershipId,
    source: 'GROUP' as const,
    providerId,
  }))
  return tx.insert(teamMembers).values(rows).onConflictDoNothing().returning()
}

/** Takes out whom groups put in other teams than these: a member, or without one all of the provider. */
export const removeByGroups = (
  tx: Db,
  by: OfGroups & { membershipId?: string },
  keptTeamIds: readonly string[],
): Promise<TeamMemberRow[]> =>
  tx
    .delete(teamMembers)
    .where(
      and(
        cameBy(by),
        by.membershipId === undefined ? undefined : eq(teamMembers.membershipId, by.membershipId),
        notInArray(teamMembers.teamId, [...keptTeamIds]),
      ),
    )
    .returning()

export async function removeTeamMember(tx: Db, organizationId: string, id: string): Promise<TeamMemberRow | undefined> {
  const [row] = await tx.delete(teamMembers).where(isOne(organizationId, id)).returning()
  return row
}

/** The teams that each of these members and service accounts is in. */
export async function teamsOfMembers(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  if (ids.length === 0) return new Map()
  const { membershipId, serviceAccountId, teamId } = teamMembers
  const rows = await db
    .select({ membershipId, serviceAccountId, teamId })
    .from(teamMembers)
    .where(
      and(
        eq(teamMembers.organizationId, organizationId),
        or(inArray(membershipId, [...ids]), inArray(serviceAccountId, [...ids])),
      ),
    )
  const byMember = Map.groupBy(rows, (row) => row.membershipId ?? row.serviceAccountId ?? '')
  return new Map([...byMember].map(([id, found]) => [id, found.map((row) => row.teamId)]))
}
