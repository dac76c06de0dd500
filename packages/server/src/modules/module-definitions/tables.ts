import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { boolean, index, jsonb, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'

export const moduleDefinitions = pgTable(
  'module_definitions',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    type: text('type').notNull(),
    description: text('description').notNull(),
    status: text('status').$type<'DRAFT' | 'ACTIVE'>().notNull().default('DRAFT'),
    /** Visible to and usable by every organization. */
    isGlobalPublished: boolean('is_global_published').notNull().default(false),
    latestVersion: text('latest_version'),
    latestVersionId: text('latest_version_id'),
  },
  (table) => [
    uniqueIndex('module_definitions_organization_type').on(table.organizationId, table.type),
    index('module_definitions_global').on(table.isGlobalPublished),
  ],
)

export type ModuleDefinitionRow = typeof moduleDefinitions.$inferSelect

/** Published versions of module definitions. A version's config never changes. */
export const moduleVersions = pgTable(
  'module_versions',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    moduleDefinitionId: text('module_definition_id')
      .notNull()
      .references(() => moduleDefinitions.id, { onDelete: 'cascade' }),
    version: text('version').notNull(),
    description: text('description').notNull(),
    config: jsonb('config').$type<Record<string, unknown>>().notNull(),
  },
  (table) => [
    uniqueIndex('module_versions_definition_version').on(table.moduleDefinitionId, table.version),
    index('module_versions_organization').on(table.organizationId, table.id),
  ],
)

export type ModuleVersionRow = typeof moduleVersions.$inferSelect
