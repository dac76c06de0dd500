import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type Role, serviceAccounts } from '../organizations/tables.ts'

export type ServiceAccountRow = typeof serviceAccounts.$inferSelect

/** Unique index of names within an organization. */
export const nameIndex = 'service_accounts_organization_name'

const isOne = (organizationId: string, id: string) =>
  and(eq(serviceAccounts.organizationId, organizationId), eq(serviceAccounts.id, id))

export async function findServiceAccount(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ServiceAccountRow | undefined> {
  const [row] = await db.select().from(serviceAccounts).where(isOne(organizationId, id))
  return row
}

export const listServiceAccounts = (
  db: Db,
  organizationId: string,
  page: PageBounds,
): Promise<PageRows<ServiceAccountRow>> =>
  selectPage(db, serviceAccounts, eq(serviceAccounts.organizationId, organizationId), page)

export async function insertServiceAccount(
  tx: Db,
  account: { organizationId: string; name: string; role: Role },
): Promise<ServiceAccountRow> {
  const [row] = await tx
    .insert(serviceAccounts)
    .values({ id: newId('sa'), ...account })
    .returning()
  if (!row) throw new Error('an insert returned nothing')
  return row
}

export async function updateServiceAccount(
  tx: Db,
  organizationId: string,
  id: string,
  change: { name?: string; role?: Role },
): Promise<ServiceAccountRow | undefined> {
  const [row] = await tx
    .update(serviceAccounts)
    .set({ ...change, updatedAt: sql`now()` })
    .where(isOne(organizationId, id))
    .returning()
  return row
}

/** Deletes a service account with its API keys. */
export async function removeServiceAccount(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<ServiceAccountRow | undefined> {
  const [row] = await tx.delete(serviceAccounts).where(isOne(organizationId, id)).returning()
  return row
}
