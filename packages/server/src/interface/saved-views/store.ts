import { maxListedViews, type SavedView, type UpdateSavedViews } from '@sluice/contract'
import { memberships, users } from '../../identity/organizations/tables.ts'
import { and, asc, desc, eq, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { savedViews } from './tables.ts'

/** Member who owns the views. */
type Own = { organizationId: string; membershipId: string }

/** Returns the member's views in display order, then those that others share, by name. */
export function findSavedViews(db: Db, { organizationId, membershipId }: Own): Promise<SavedView[]> {
  const { page, name, search, isShared, position } = savedViews
  const isOwn = sql<boolean>`(${eq(savedViews.membershipId, membershipId)})`
  return db
    .select({ page, name, search, isShared, isOwn, createdBy: users.email })
    .from(savedViews)
    .innerJoin(memberships, eq(memberships.id, savedViews.membershipId))
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      and(
        eq(savedViews.organizationId, organizationId),
        or(eq(savedViews.membershipId, membershipId), eq(savedViews.isShared, true)),
      ),
    )
    .orderBy(desc(isOwn), asc(sql`CASE WHEN ${isOwn} THEN ${position} END`), asc(name), asc(users.email))
    .limit(maxListedViews)
}

/** Replaces the member's views of a page. */
export async function replaceSavedViews(tx: Db, own: Own, { page, views }: UpdateSavedViews): Promise<void> {
  const { organizationId, membershipId } = own
  const isReplaced = and(
    eq(savedViews.organizationId, organizationId),
    eq(savedViews.membershipId, membershipId),
    eq(savedViews.page, page),
  )
  await tx.delete(savedViews).where(isReplaced)
  if (views.length === 0) return
  const rows = views.map((view, position) => ({ organizationId, membershipId, page, ...view, position }))
  // Concurrent changes can insert a view of the same name, which stays.
  await tx.insert(savedViews).values(rows).onConflictDoNothing()
}
