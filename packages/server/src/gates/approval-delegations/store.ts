import { memberships, users } from '../../identity/organizations/tables.ts'
import { and, asc, eq, gt, inArray } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type ApprovalDelegationRow, approvalDelegations } from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(approvalDelegations.organizationId, organizationId), eq(approvalDelegations.id, id))

/** Member whom a delegate substitutes for, with the period. */
export type Delegated = Pick<ApprovalDelegationRow, 'membershipId' | 'delegateId' | 'from' | 'until'> & { name: string }

/** Returns the delegations to these members, past and future, oldest first. */
export const delegatedTo = (db: Db, organizationId: string, delegateIds: readonly string[]): Promise<Delegated[]> =>
  db
    .select({
      membershipId: approvalDelegations.membershipId,
      delegateId: approvalDelegations.delegateId,
      from: approvalDelegations.from,
      until: approvalDelegations.until,
      name: users.email,
    })
    .from(approvalDelegations)
    .innerJoin(memberships, eq(memberships.id, approvalDelegations.membershipId))
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      and(
        eq(approvalDelegations.organizationId, organizationId),
        inArray(approvalDelegations.delegateId, [...delegateIds]),
      ),
    )
    .orderBy(asc(approvalDelegations.id))

/**
 * Returns which of these ids are members of the organization, and prevents their removal until the end of the
 * transaction.
 */
export async function lockMembers(tx: Db, organizationId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await tx
    .select({ id: memberships.id })
    .from(memberships)
    .where(and(eq(memberships.organizationId, organizationId), inArray(memberships.id, [...ids])))
    .orderBy(asc(memberships.id))
    .for('key share')
  return rows.map(({ id }) => id)
}

/** Counts the delegations of a member that have not ended. */
export const countDelegations = (db: Db, organizationId: string, membershipId: string, now: Date): Promise<number> =>
  db.$count(
    approvalDelegations,
    and(
      eq(approvalDelegations.organizationId, organizationId),
      eq(approvalDelegations.membershipId, membershipId),
      gt(approvalDelegations.until, now),
    ),
  )

export async function insertDelegation(
  tx: Db,
  row: Omit<typeof approvalDelegations.$inferInsert, 'id'>,
): Promise<ApprovalDelegationRow> {
  const [inserted] = await tx
    .insert(approvalDelegations)
    .values({ id: newId('apd'), ...row })
    .returning()
  if (!inserted) throw new Error('the delegation was not inserted')
  return inserted
}

export const listDelegations = (
  db: Db,
  organizationId: string,
  { membershipId, delegateId }: { membershipId?: string; delegateId?: string },
  page: PageBounds,
): Promise<PageRows<ApprovalDelegationRow>> =>
  selectPage(
    db,
    approvalDelegations,
    and(
      eq(approvalDelegations.organizationId, organizationId),
      membershipId === undefined ? undefined : eq(approvalDelegations.membershipId, membershipId),
      delegateId === undefined ? undefined : eq(approvalDelegations.delegateId, delegateId),
    ),
    page,
  )

/** Deletes a delegation, if given only one by `membershipId`. Returns undefined if there is none. */
export async function removeDelegation(
  tx: Db,
  organizationId: string,
  id: string,
  membershipId: string | undefined,
): Promise<ApprovalDelegationRow | undefined> {
  const isTheirs = membershipId === undefined ? undefined : eq(approvalDelegations.membershipId, membershipId)
  const [row] = await tx
    .delete(approvalDelegations)
    .where(and(one(organizationId, id), isTheirs))
    .returning()
  return row
}
