import type { CreateModuleDefinition, ModuleDefinitionStatus, UpdateModuleDefinition } from '@sluice/contract'
import { and, eq, inArray, ne, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { moduleInstances } from '../module-instances/tables.ts'
import { type ModuleDefinitionRow, moduleDefinitions } from './tables.ts'

export interface ModuleDefinitionFilters {
  status?: ModuleDefinitionStatus
  type?: string
}

/** Selects the organization's own definitions and global ones. */
const visibleTo = (organizationId: string) =>
  or(eq(moduleDefinitions.organizationId, organizationId), eq(moduleDefinitions.isGlobalPublished, true))

const own = (organizationId: string, id: string) =>
  and(eq(moduleDefinitions.organizationId, organizationId), eq(moduleDefinitions.id, id))

/** Reports whether another organization has published this type globally. */
export async function isPublishedByOthers(tx: Db, organizationId: string, type: string): Promise<boolean> {
  const others = and(
    ne(moduleDefinitions.organizationId, organizationId),
    eq(moduleDefinitions.isGlobalPublished, true),
    eq(moduleDefinitions.type, type),
  )
  return (await tx.$count(moduleDefinitions, others)) > 0
}

export async function insertModuleDefinition(
  tx: Db,
  organizationId: string,
  given: Omit<CreateModuleDefinition, 'firstVersion'>,
): Promise<ModuleDefinitionRow> {
  const [row] = await tx
    .insert(moduleDefinitions)
    .values({ ...given, id: newId('md'), organizationId })
    .returning()
  if (!row) throw new Error('the module definition was not inserted')
  return row
}

/** Returns a definition visible to the organization: its own or a global one. */
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

/** Returns those of `types` that have a definition visible to the organization. */
export async function visibleTypes(db: Db, organizationId: string, types: readonly string[]): Promise<string[]> {
  if (types.length === 0) return []
  const rows = await db
    .select({ type: moduleDefinitions.type })
    .from(moduleDefinitions)
    .where(and(visibleTo(organizationId), inArray(moduleDefinitions.type, [...new Set(types)])))
  return rows.map(({ type }) => type)
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

/**
 * Locks and returns one of the organization's own definitions. No other transaction can change or refer to it until
 * this one ends.
 */
export async function lockModuleDefinition(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<ModuleDefinitionRow | undefined> {
  const [row] = await tx.select().from(moduleDefinitions).where(own(organizationId, id)).for('update')
  return row
}

export async function updateModuleDefinition(
  tx: Db,
  organizationId: string,
  id: string,
  changes: UpdateModuleDefinition,
): Promise<ModuleDefinitionRow | undefined> {
  const [row] = await tx
    .update(moduleDefinitions)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(own(organizationId, id))
    .returning()
  return row
}

/** Sets the definition's latest version; without one, it becomes a draft. */
export async function setLatestVersion(
  tx: Db,
  organizationId: string,
  id: string,
  latest: { id: string; version: string } | undefined,
): Promise<void> {
  await tx
    .update(moduleDefinitions)
    .set({
      status: latest ? 'ACTIVE' : 'DRAFT',
      latestVersion: latest?.version ?? null,
      latestVersionId: latest?.id ?? null,
      updatedAt: sql`now()`,
    })
    .where(own(organizationId, id))
}

export async function removeModuleDefinition(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx.delete(moduleDefinitions).where(own(organizationId, id))
}

/** Reports whether another organization has a definition of this type. Requires an unscoped database connection. */
export async function isTypeUsedByOthers(
  installation: Db,
  { organizationId, type }: Pick<ModuleDefinitionRow, 'organizationId' | 'type'>,
): Promise<boolean> {
  const others = and(ne(moduleDefinitions.organizationId, organizationId), eq(moduleDefinitions.type, type))
  return (await installation.$count(moduleDefinitions, others)) > 0
}

/** Counts the instances in other organizations. Requires an unscoped database connection. */
export function countInstancesOfOthers(
  installation: Db,
  { organizationId, id }: Pick<ModuleDefinitionRow, 'organizationId' | 'id'>,
): Promise<number> {
  const others = and(ne(moduleInstances.organizationId, organizationId), eq(moduleInstances.moduleDefinitionId, id))
  return installation.$count(moduleInstances, others)
}
