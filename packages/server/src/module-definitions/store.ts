import type { ModuleDefinitionStatus } from '@sluice/contract'
import { and, eq, or } from 'drizzle-orm'
import type { Db } from '../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../platform/db/page.ts'
import { moduleDefinitions } from './tables.ts'

export type ModuleDefinitionRow = typeof moduleDefinitions.$inferSelect

export interface ModuleDefinitionFilters {
  status?: ModuleDefinitionStatus
  type?: string
}

/** An organization sees its own definitions and those that are published to everyone. */
const visibleTo = (organizationId: string) =>
  or(eq(moduleDefinitions.organizationId, organizationId), eq(moduleDefinitions.isGlobalPublished, true))

export async function findModuleDefinition(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ModuleDefinitionRow | undefined> {
  const [row] = await db
    .select()
    .from(moduleDefinitions)
    .where(and(visibleTo(organizationId), eq(moduleDefinitions.id, id)))
  return row
}

export function listModuleDefinitions(
  db: Db,
  organizationId: string,
  { status, type }: ModuleDefinitionFilters,
  page: PageBounds,
): Promise<PageRows<ModuleDefinitionRow>> {
  const where = and(
    visibleTo(organizationId),
    status === undefined ? undefined : eq(moduleDefinitions.status, status),
    type === undefined ? undefined : eq(moduleDefinitions.type, type),
  )
  return selectPage(db, moduleDefinitions, where, page)
}
