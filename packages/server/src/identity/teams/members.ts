import { and, eq, inArray, isNull, notInArray, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { memberships, serviceAccounts } from '../organizations/tables.ts'
import { shareLockTeams } from './store.ts'
import { type TeamMemberRow, teamMembers } from './tables.ts'

/** Team member: a user by their membership, or a service account. */
export type Member = { membershipId: string } | { serviceAccountId: string }

/** Returns the membership or service account, locked against deletion until the transaction ends. */
export async function shareLockMember(tx: Db, organizationId: string, id: string): Promise<Member | undefined> {
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

/** Returns the ids that are current members or service accounts of the organization. */
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

/** Adds a manual team member, or makes one from a group manual. Returns undefined if it is already a manual member. */
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

/** Provider whose groups added team members; null: the installation's. */
export type OfGroups = { organizationId: string; providerId: string | null }

const cameBy = ({ organizationId, providerId }: OfGroups) =>
  and(
    eq(teamMembers.organizationId, organizationId),
    eq(teamMembers.source, 'GROUP'),
    providerId === null ? isNull(teamMembers.providerId) : eq(teamMembers.providerId, providerId),
  )

/** Adds a member to existing teams of their groups, skipping teams they are already in. */
export async function insertByGroups(
  tx: Db,
  { organizationId, providerId }: OfGroups,
  membershipId: string,
  teamIds: readonly string[],
): Promise<TeamMemberRow[]> {
  const present = await shareLockTeams(tx, organizationId, teamIds)
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

/** Removes members from teams other than these that groups added: one member, or all of the provider. */
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

/** Returns the teams of each of these members and service accounts. */
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
