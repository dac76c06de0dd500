import type { Caller } from '../../platform/auth/caller.ts'
import { and, desc, eq, isNotNull, lt } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PageBounds, PageRows } from '../../platform/db/page.ts'
import type { OrganizationRow } from './store.ts'
import { identities, memberships, organizations, type Role, serviceAccounts } from './tables.ts'

/** Organization of a principal, with the id and role of the membership or service account. */
export type OwnRow = { id: string; role: Role; organization: OrganizationRow }

/**
 * Reports whether the caller may see all of the user's organizations. API keys and identity providers belong to one
 * organization and must not reveal others.
 */
export async function seesAll(db: Db, { authSource, identityId, principalType }: Caller): Promise<boolean> {
  if (authSource !== 'COOKIE' || principalType !== 'MEMBERSHIP') return false
  const ofOrganization = and(eq(identities.id, identityId), isNotNull(identities.providerId))
  return (await db.$count(identities, ofOrganization)) === 0
}

export async function listOwn(
  db: Db,
  { principalType, userId, membershipId, organizationId }: Caller,
  isAll: boolean,
  { limit, before }: PageBounds,
): Promise<PageRows<OwnRow>> {
  const table = principalType === 'MEMBERSHIP' ? memberships : serviceAccounts
  const where = isAll
    ? eq(memberships.userId, userId)
    : and(eq(table.organizationId, organizationId), eq(table.id, membershipId))
  const [rows, totalCount] = await Promise.all([
    db
      .select({ id: table.id, role: table.role, organization: organizations })
      .from(table)
      .innerJoin(organizations, eq(organizations.id, table.organizationId))
      .where(and(where, before === undefined ? undefined : lt(table.id, before)))
      .orderBy(desc(table.id))
      .limit(limit + 1),
    db.$count(table, where),
  ])
  return { rows, totalCount }
}
