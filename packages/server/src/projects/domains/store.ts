import type { CreateDomain } from '@sluice/contract'
import { and, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import type { EnvironmentRow } from '../projects/tables.ts'
import { type DomainRow, domains } from './tables.ts'

const one = (organizationId: string, id: string) => and(eq(domains.organizationId, organizationId), eq(domains.id, id))

export async function insertDomain(
  tx: Db,
  { id: environmentId, organizationId, projectId }: EnvironmentRow,
  { name, description }: CreateDomain,
): Promise<DomainRow> {
  const [row] = await tx
    .insert(domains)
    .values({ id: newId('dom'), organizationId, projectId, environmentId, name, description })
    .returning()
  if (!row) throw new Error('the domain was not inserted')
  return row
}

export function listDomains(
  db: Db,
  organizationId: string,
  { projectId, environmentId, name }: { projectId?: string; environmentId?: string; name?: string },
  page: PageBounds,
): Promise<PageRows<DomainRow>> {
  const where = and(
    eq(domains.organizationId, organizationId),
    projectId === undefined ? undefined : eq(domains.projectId, projectId),
    environmentId === undefined ? undefined : eq(domains.environmentId, environmentId),
    name === undefined ? undefined : eq(domains.name, name),
  )
  return selectPage(db, domains, where, page)
}

export async function findDomain(db: Db, organizationId: string, id: string): Promise<DomainRow | undefined> {
  const [row] = await db.select().from(domains).where(one(organizationId, id))
  return row
}

export async function removeDomain(tx: Db, organizationId: string, id: string): Promise<DomainRow | undefined> {
  const [row] = await tx.delete(domains).where(one(organizationId, id)).returning()
  return row
}
