import type { CreateModuleVersion } from '@sluice/contract'
import { and, eq, exists, or } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type ModuleVersionRow, moduleDefinitions, moduleVersions } from '../module-definitions/tables.ts'

/** Selects versions of the organization's own definitions and of global ones. */
const visibleTo = (db: Db, organizationId: string) =>
  or(
    eq(moduleVersions.organizationId, organizationId),
    exists(
      db
        .select({ id: moduleDefinitions.id })
        .from(moduleDefinitions)
        .where(
          and(
            eq(moduleDefinitions.id, moduleVersions.moduleDefinitionId),
            eq(moduleDefinitions.isGlobalPublished, true),
          ),
        ),
    ),
  )

const own = (organizationId: string, id: string) =>
  and(eq(moduleVersions.organizationId, organizationId), eq(moduleVersions.id, id))

export async function insertModuleVersion(
  tx: Db,
  organizationId: string,
  { moduleDefinitionId, version, description, config }: CreateModuleVersion,
): Promise<ModuleVersionRow> {
  const [row] = await tx
    .insert(moduleVersions)
    .values({ id: newId('mv'), organizationId, moduleDefinitionId, version, description, config })
    .returning()
  if (!row) throw new Error('the module version was not inserted')
  return row
}

export function listModuleVersions(
  db: Db,
  organizationId: string,
  { moduleDefinitionId }: { moduleDefinitionId?: string },
  page: PageBounds,
): Promise<PageRows<ModuleVersionRow>> {
  const where = and(
    visibleTo(db, organizationId),
    moduleDefinitionId === undefined ? undefined : eq(moduleVersions.moduleDefinitionId, moduleDefinitionId),
  )
  return selectPage(db, moduleVersions, where, page)
}

/** Returns a version visible to the organization. */
export async function findModuleVersion(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ModuleVersionRow | undefined> {
  const [row] = await db
    .select()
    .from(moduleVersions)
    .where(and(visibleTo(db, organizationId), eq(moduleVersions.id, id)))
  return row
}

export async function findOwnModuleVersion(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ModuleVersionRow | undefined> {
  const [row] = await db.select().from(moduleVersions).where(own(organizationId, id))
  return row
}

/** Lists the versions of one of the organization's own definitions, without their configs. */
export function versionsOf(
  tx: Db,
  organizationId: string,
  moduleDefinitionId: string,
): Promise<Pick<ModuleVersionRow, 'id' | 'version'>[]> {
  return tx
    .select({ id: moduleVersions.id, version: moduleVersions.version })
    .from(moduleVersions)
    .where(
      and(eq(moduleVersions.organizationId, organizationId), eq(moduleVersions.moduleDefinitionId, moduleDefinitionId)),
    )
}

export async function removeModuleVersion(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx.delete(moduleVersions).where(own(organizationId, id))
}
