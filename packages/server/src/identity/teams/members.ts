import { and, eq, or } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { memberships, serviceAccounts } from '../organizations/tables.ts'
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

/** Undefined if the team has the member already. */
export async function insertTeamMember(
  tx: Db,
  member: Member & { organizationId: string; teamId: string },
): Promise<TeamMemberRow | undefined> {
  const [row] = await tx
    .insert(teamMembers)
    .values({ id: newId('tmb'), ...member })
    .onConflictDoNothing()
    .returning()
  return row
}

export async function removeTeamMember(tx: Db, organizationId: string, id: string): Promise<TeamMemberRow | undefined> {
  const [row] = await tx.delete(teamMembers).where(isOne(organizationId, id)).returning()
  return row
}
