import type { DefaultValueParentType, UpdateDefaultValueDefinition } from '@sluice/contract'
import { and, asc, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import {
  type DefaultValueDefinitionRow,
  type DefaultValueRow,
  defaultValueDefinitions,
  defaultValues,
} from './tables.ts'

const oneDefinition = (organizationId: string, id: string) =>
  and(eq(defaultValueDefinitions.organizationId, organizationId), eq(defaultValueDefinitions.id, id))

const oneValue = (organizationId: string, id: string) =>
  and(eq(defaultValues.organizationId, organizationId), eq(defaultValues.id, id))

export async function insertDefinition(
  tx: Db,
  organizationId: string,
  given: Pick<DefaultValueDefinitionRow, 'key' | 'schema'> & { description?: string; isSensitive?: boolean },
): Promise<DefaultValueDefinitionRow> {
  const [row] = await tx
    .insert(defaultValueDefinitions)
    .values({ ...given, id: newId('dvd'), organizationId })
    .returning()
  if (!row) throw new Error('the default value definition was not inserted')
  return row
}

export function listDefinitions(
  db: Db,
  organizationId: string,
  page: PageBounds,
): Promise<PageRows<DefaultValueDefinitionRow>> {
  return selectPage(db, defaultValueDefinitions, eq(defaultValueDefinitions.organizationId, organizationId), page)
}

export async function findDefinition(
  db: Db,
  organizationId: string,
  id: string,
): Promise<DefaultValueDefinitionRow | undefined> {
  const [row] = await db.select().from(defaultValueDefinitions).where(oneDefinition(organizationId, id))
  return row
}

/**
 * Loads a definition and prevents its change and deletion until the end of the transaction, for the validation of a
 * value.
 */
export async function lockDefinitionShared(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<DefaultValueDefinitionRow | undefined> {
  const [row] = await tx.select().from(defaultValueDefinitions).where(oneDefinition(organizationId, id)).for('share')
  return row
}

/** Loads and locks a definition, so that no value of it can be added or changed until the end of the transaction. */
export async function lockDefinition(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<DefaultValueDefinitionRow | undefined> {
  const [row] = await tx.select().from(defaultValueDefinitions).where(oneDefinition(organizationId, id)).for('update')
  return row
}

export async function updateDefinition(
  tx: Db,
  organizationId: string,
  id: string,
  changes: UpdateDefaultValueDefinition,
): Promise<DefaultValueDefinitionRow | undefined> {
  const [row] = await tx
    .update(defaultValueDefinitions)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(oneDefinition(organizationId, id))
    .returning()
  return row
}

export async function removeDefinition(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx.delete(defaultValueDefinitions).where(oneDefinition(organizationId, id))
}

/** Returns all values of a definition, oldest first: at most one per organization, project and environment. */
export function valuesOfDefinition(tx: Db, organizationId: string, definitionId: string): Promise<DefaultValueRow[]> {
  return tx
    .select()
    .from(defaultValues)
    .where(
      and(eq(defaultValues.organizationId, organizationId), eq(defaultValues.defaultValueDefinitionId, definitionId)),
    )
    .orderBy(asc(defaultValues.id))
}

export async function insertDefaultValue(
  tx: Db,
  organizationId: string,
  given: Pick<DefaultValueRow, 'id' | 'defaultValueDefinitionId' | 'parentType' | 'parentId' | 'held'>,
): Promise<DefaultValueRow> {
  const [row] = await tx
    .insert(defaultValues)
    .values({ ...given, organizationId })
    .returning()
  if (!row) throw new Error('the default value was not inserted')
  return row
}

export interface DefaultValueFilters {
  parentType?: DefaultValueParentType
  parentId?: string
  defaultValueDefinitionId?: string
}

export function listDefaultValues(
  db: Db,
  organizationId: string,
  { parentType, parentId, defaultValueDefinitionId }: DefaultValueFilters,
  page: PageBounds,
): Promise<PageRows<DefaultValueRow>> {
  const where = and(
    eq(defaultValues.organizationId, organizationId),
    parentType === undefined ? undefined : eq(defaultValues.parentType, parentType),
    parentId === undefined ? undefined : eq(defaultValues.parentId, parentId),
    defaultValueDefinitionId === undefined
      ? undefined
      : eq(defaultValues.defaultValueDefinitionId, defaultValueDefinitionId),
  )
  return selectPage(db, defaultValues, where, page)
}

export async function findDefaultValue(
  db: Db,
  organizationId: string,
  id: string,
): Promise<DefaultValueRow | undefined> {
  const [row] = await db.select().from(defaultValues).where(oneValue(organizationId, id))
  return row
}

export async function updateDefaultValue(
  tx: Db,
  organizationId: string,
  id: string,
  held: DefaultValueRow['held'],
): Promise<DefaultValueRow | undefined> {
  const [row] = await tx
    .update(defaultValues)
    .set({ held, updatedAt: sql`now()` })
    .where(oneValue(organizationId, id))
    .returning()
  return row
}

/** Returns false if there is none. */
export async function removeDefaultValue(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<DefaultValueRow | undefined> {
  const [row] = await tx.delete(defaultValues).where(oneValue(organizationId, id)).returning()
  return row
}

/** Deletes the values of a deleted project or environment. */
export async function removeDefaultValuesOf(tx: Db, organizationId: string, parentId: string): Promise<void> {
  await tx
    .delete(defaultValues)
    .where(and(eq(defaultValues.organizationId, organizationId), eq(defaultValues.parentId, parentId)))
}
