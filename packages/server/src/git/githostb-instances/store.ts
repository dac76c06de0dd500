import { and, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { type GithostbInstanceRow, githostbInstances } from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(githostbInstances.organizationId, organizationId), eq(githostbInstances.id, id))

export async function insertInstance(
  tx: Db,
  organizationId: string,
  given: Pick<GithostbInstanceRow, 'id' | 'baseUrl' | 'clientId' | 'sealedClientSecret'>,
): Promise<GithostbInstanceRow> {
  const [row] = await tx
    .insert(githostbInstances)
    .values({ ...given, organizationId })
    .returning()
  if (!row) throw new Error('the instance was not inserted')
  return row
}

export function listInstances(
  db: Db,
  organizationId: string,
  page: PageBounds,
): Promise<PageRows<GithostbInstanceRow>> {
  return selectPage(db, githostbInstances, eq(githostbInstances.organizationId, organizationId), page)
}

export async function findInstance(
  db: Db,
  organizationId: string,
  id: string,
): Promise<GithostbInstanceRow | undefined> {
  const [row] = await db.select().from(githostbInstances).where(one(organizationId, id))
  return row
}

/** Returns the instance with this host and port. */
export async function findInstanceOfHost(
  db: Db,
  organizationId: string,
  host: string,
): Promise<GithostbInstanceRow | undefined> {
  const rows = await db.select().from(githostbInstances).where(eq(githostbInstances.organizationId, organizationId))
  return rows.find(({ baseUrl }) => new URL(baseUrl).host === host)
}

export async function removeInstance(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx.delete(githostbInstances).where(one(organizationId, id))
}
