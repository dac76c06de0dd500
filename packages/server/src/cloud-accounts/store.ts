import { and, eq } from 'drizzle-orm'
import type { Db } from '../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../platform/db/page.ts'
import { type CloudAccountRow, cloudAccounts } from './tables.ts'

export async function findCloudAccount(
  db: Db,
  organizationId: string,
  id: string,
): Promise<CloudAccountRow | undefined> {
  const [row] = await db
    .select()
    .from(cloudAccounts)
    .where(and(eq(cloudAccounts.organizationId, organizationId), eq(cloudAccounts.id, id)))
  return row
}

export function listCloudAccounts(
  db: Db,
  organizationId: string,
  page: PageBounds,
): Promise<PageRows<CloudAccountRow>> {
  return selectPage(db, cloudAccounts, eq(cloudAccounts.organizationId, organizationId), page)
}
