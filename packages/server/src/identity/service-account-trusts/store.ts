import { and, eq, lte } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { apiKeys, serviceAccounts, serviceAccountTrusts } from '../organizations/tables.ts'
import type { ServiceAccountRow } from '../service-accounts/store.ts'

export type TrustRow = typeof serviceAccountTrusts.$inferSelect

const isOne = (organizationId: string, id: string) =>
  and(eq(serviceAccountTrusts.organizationId, organizationId), eq(serviceAccountTrusts.id, id))

export async function findTrust(db: Db, organizationId: string, id: string): Promise<TrustRow | undefined> {
  const [row] = await db.select().from(serviceAccountTrusts).where(isOne(organizationId, id))
  return row
}

export const listTrusts = (
  db: Db,
  organizationId: string,
  { serviceAccountId }: { serviceAccountId?: string },
  page: PageBounds,
): Promise<PageRows<TrustRow>> =>
  selectPage(
    db,
    serviceAccountTrusts,
    and(
      eq(serviceAccountTrusts.organizationId, organizationId),
      serviceAccountId === undefined ? undefined : eq(serviceAccountTrusts.serviceAccountId, serviceAccountId),
    ),
    page,
  )

/**
 * Returns the trusts of a service account for an issuer. Not scoped to an organization, because the caller is not
 * signed in yet.
 */
export async function findTrustsIn(
  db: Db,
  issuer: string,
  serviceAccountId: string,
): Promise<{ trust: TrustRow; account: ServiceAccountRow }[]> {
  return db
    .select({ trust: serviceAccountTrusts, account: serviceAccounts })
    .from(serviceAccountTrusts)
    .innerJoin(serviceAccounts, eq(serviceAccounts.id, serviceAccountTrusts.serviceAccountId))
    .where(and(eq(serviceAccountTrusts.serviceAccountId, serviceAccountId), eq(serviceAccountTrusts.issuer, issuer)))
}

export type NewTrust = Omit<TrustRow, 'id' | 'createdAt' | 'updatedAt'>

export async function insertTrust(tx: Db, trust: NewTrust): Promise<TrustRow> {
  const [row] = await tx
    .insert(serviceAccountTrusts)
    .values({ id: newId('sat'), ...trust })
    .returning()
  if (!row) throw new Error('an insert returned nothing')
  return row
}

/** Deletes a trust with the tokens issued for it. */
export async function removeTrust(tx: Db, organizationId: string, id: string): Promise<TrustRow | undefined> {
  const [row] = await tx.delete(serviceAccountTrusts).where(isOne(organizationId, id)).returning()
  return row
}

export async function removeExpiredTokens(tx: Db, trustId: string, now: Date): Promise<void> {
  await tx.delete(apiKeys).where(and(eq(apiKeys.trustId, trustId), lte(apiKeys.expiresAt, now)))
}
