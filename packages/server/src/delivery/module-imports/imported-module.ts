import type { Author } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { insertModuleDefinition, setLatestVersion } from '../../modules/module-definitions/store.ts'
import { type ModuleDefinitionRow, moduleDefinitions } from '../../modules/module-definitions/tables.ts'
import { latestOf } from '../../modules/module-versions/latest.ts'
import { insertModuleVersion, versionsOf } from '../../modules/module-versions/store.ts'
import { and, eq, or } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'

type Json = Record<string, unknown>

/** Module for an imported resource. */
export type ImportedModule = { type: string; name: string; description: string; version: string; config: Json }

/**
 * Returns the id of the organization's module definition, which is created on first use. It is an ordinary definition:
 * the next import uses the latest version that is published. Must be called under the lock of `lockImports`.
 */
export async function definitionOf(
  tx: Db,
  author: Author,
  { type, name, description, version, config }: ImportedModule,
): Promise<string> {
  const { organizationId } = author
  const found = await findVisible(tx, organizationId, type)
  // Published by the operator for all organizations.
  if (found && found.organizationId !== organizationId) return found.id
  const { id } = found ?? (await insertModuleDefinition(tx, organizationId, { type, name, description }))
  if (!found) {
    const change = { action: 'module-definitions.create', resourceType: 'module-definition', resourceId: id }
    await recordChange(tx, author, { ...change, details: { type, name, description } })
  }
  const before = await versionsOf(tx, organizationId, id)
  if (before.some((one) => one.version === version)) return id
  const notes = 'Comes with Sluice.'
  const given = { moduleDefinitionId: id, version, description: notes, config }
  const published = await insertModuleVersion(tx, organizationId, given)
  await setLatestVersion(tx, organizationId, id, latestOf([...before, published]))
  const details = { moduleDefinitionId: id, version, description: notes }
  const change = { action: 'module-versions.create', resourceType: 'module-version', resourceId: published.id, details }
  await recordChange(tx, author, change)
  return id
}

/** Prefers the organization's own definition over published ones. */
async function findVisible(tx: Db, organizationId: string, type: string): Promise<ModuleDefinitionRow | undefined> {
  const own = eq(moduleDefinitions.organizationId, organizationId)
  const visible = or(own, eq(moduleDefinitions.isGlobalPublished, true))
  const rows = await tx
    .select()
    .from(moduleDefinitions)
    .where(and(visible, eq(moduleDefinitions.type, type)))
  return rows.find((row) => row.organizationId === organizationId) ?? rows[0]
}
