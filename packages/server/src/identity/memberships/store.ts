import { and, asc, desc, eq, lt, ne, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PageBounds, PageRows } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { memberships, organizations, type Role, users } from '../organizations/tables.ts'
import type { UserRow } from '../users/store.ts'

export type MembershipRow = typeof memberships.$inferSelect

/** Membership together with its user. */
export type Member = MembershipRow & { user: UserRow }

const isOne = (organizationId: string, id: string) =>
  and(eq(memberships.organizationId, organizationId), eq(memberships.id, id))

export async function findMember(db: Db, organizationId: string, id: string): Promise<Member | undefined> {
  const [row] = await db
    .select({ membership: memberships, user: users })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(isOne(organizationId, id))
  return row && { ...row.membership, user: row.user }
}

export async function listMembers(
  db: Db,
  organizationId: string,
  { role, userId }: { role?: Role; userId?: string },
  { limit, before }: PageBounds,
): Promise<PageRows<Member>> {
  const where = and(
    eq(memberships.organizationId, organizationId),
    role === undefined ? undefined : eq(memberships.role, role),
    userId === undefined ? undefined : eq(memberships.userId, userId),
  )
  const [rows, totalCount] = await Promise.all([
    db
      .select({ membership: memberships, user: users })
      .from(memberships)
      .innerJoin(users, eq(users.id, memberships.userId))
      .where(and(where, before === undefined ? undefined : lt(memberships.id, before)))
      .orderBy(desc(memberships.id))
      .limit(limit + 1),
    db.$count(memberships, where),
  ])
  return { rows: rows.map(({ membership, user }) => ({ ...membership, user })), totalCount }
}

export const isMember = async (db: Db, organizationId: string, email: string): Promise<boolean> => {
  const found = await db
    .select({ id: memberships.id })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.organizationId, organizationId), eq(users.email, email)))
  return found.length > 0
}

/** Lists the user's memberships in the order of joining, optionally of one organization. */
export const listMembershipsOf = (
  db: Db,
  userId: string,
  organizationId: string | undefined,
): Promise<MembershipRow[]> =>
  db
    .select()
    .from(memberships)
    .where(
      and(
        eq(memberships.userId, userId),
        organizationId === undefined ? undefined : eq(memberships.organizationId, organizationId),
      ),
    )
    .orderBy(asc(memberships.id))

/** Returns the user's membership in the organization, or their first one. */
export async function findMembershipOf(
  db: Db,
  userId: string,
  organizationId: string | undefined,
): Promise<MembershipRow | undefined> {
  const [first] = await listMembershipsOf(db, userId, organizationId)
  return first
}

export type NewMembership = { organizationId: string; userId: string; role: Role }

export async function insertMembership(tx: Db, membership: NewMembership): Promise<MembershipRow> {
  const [row] = await tx
    .insert(memberships)
    .values({ id: newId('mem'), ...membership })
    .returning()
  if (!row) throw new Error('an insert returned nothing')
  return row
}

/**
 * Reports whether the organization has another owner. Call it before an ownership ends: it locks the organization's
 * row, so that two owners cannot remove each other concurrently.
 */
export async function hasOtherOwner(tx: Db, organizationId: string, membershipId: string): Promise<boolean> {
  await tx
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.id, organizationId))
    .for('no key update')
  const isOtherOwner = and(
    eq(memberships.organizationId, organizationId),
    eq(memberships.role, 'OWNER'),
    ne(memberships.id, membershipId),
  )
  return (await tx.$count(memberships, isOtherOwner)) > 0
}

export async function updateRole(tx: Db, organizationId: string, id: string, role: Role): Promise<void> {
  await tx.update(memberships).set({ role, updatedAt: sql`now()` }).where(isOne(organizationId, id))
}

/** Deletes a membership with its sessions and API keys. */
export async function removeMembership(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx.delete(memberships).where(isOne(organizationId, id))
}
