import { and, eq, isNotNull, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { signInDomains } from './tables.ts'

export type SignInDomainRow = typeof signInDomains.$inferSelect

/** Unique index that prevents duplicate claims within an organization. */
export const claimedIndex = 'sign_in_domains_organization_domain'
/** Unique index that prevents verification by two organizations. */
export const verifiedIndex = 'sign_in_domains_verified'

const isOne = (organizationId: string, id: string) =>
  and(eq(signInDomains.organizationId, organizationId), eq(signInDomains.id, id))

export async function findDomain(db: Db, organizationId: string, id: string): Promise<SignInDomainRow | undefined> {
  const [row] = await db.select().from(signInDomains).where(isOne(organizationId, id))
  return row
}

export const listDomains = (db: Db, organizationId: string, page: PageBounds): Promise<PageRows<SignInDomainRow>> =>
  selectPage(db, signInDomains, eq(signInDomains.organizationId, organizationId), page)

/** Returns the organization's verified domains. */
export async function provenDomains(db: Db, organizationId: string): Promise<string[]> {
  const rows = await db
    .select({ domain: signInDomains.domain })
    .from(signInDomains)
    .where(and(eq(signInDomains.organizationId, organizationId), isNotNull(signInDomains.verifiedAt)))
  return rows.map(({ domain }) => domain)
}

export async function insertDomain(
  tx: Db,
  domain: { organizationId: string; domain: string; challenge: string },
): Promise<SignInDomainRow> {
  const [row] = await tx
    .insert(signInDomains)
    .values({ id: newId('sid'), ...domain })
    .returning()
  if (!row) throw new Error('an insert returned nothing')
  return row
}

export async function markVerified(tx: Db, organizationId: string, id: string): Promise<SignInDomainRow | undefined> {
  const [row] = await tx
    .update(signInDomains)
    .set({ verifiedAt: sql`coalesce(verified_at, now())`, updatedAt: sql`now()` })
    .where(isOne(organizationId, id))
    .returning()
  return row
}

export async function removeDomain(tx: Db, organizationId: string, id: string): Promise<SignInDomainRow | undefined> {
  const [row] = await tx.delete(signInDomains).where(isOne(organizationId, id)).returning()
  return row
}
