import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../platform/db/page.ts'
import { prepared } from '../platform/db/prepared.ts'
import { type ModuleInstanceRow, moduleInstances } from './tables.ts'

export interface ModuleInstanceFilters {
  ids?: string[]
  projectId?: string
  environmentId?: string
  moduleDefinitionId?: string
  givenId?: string
}

const findStatement = prepared((db) =>
  db
    .select()
    .from(moduleInstances)
    .where(
      and(
        eq(moduleInstances.organizationId, sql.placeholder('organizationId')),
        eq(moduleInstances.id, sql.placeholder('id')),
      ),
    )
    .prepare('find_module_instance'),
)

export async function findModuleInstance(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ModuleInstanceRow | undefined> {
  const [row] = await findStatement(db).execute({ organizationId, id })
  return row
}

export function listModuleInstances(
  db: Db,
  organizationId: string,
  { ids, projectId, environmentId, moduleDefinitionId, givenId }: ModuleInstanceFilters,
  page: PageBounds,
): Promise<PageRows<ModuleInstanceRow>> {
  const where = and(
    eq(moduleInstances.organizationId, organizationId),
    ids && inArray(moduleInstances.id, ids),
    projectId === undefined ? undefined : eq(moduleInstances.projectId, projectId),
    environmentId === undefined ? undefined : eq(moduleInstances.environmentId, environmentId),
    moduleDefinitionId === undefined ? undefined : eq(moduleInstances.moduleDefinitionId, moduleDefinitionId),
    givenId === undefined ? undefined : eq(moduleInstances.givenId, givenId),
  )
  return selectPage(db, moduleInstances, where, page)
}
