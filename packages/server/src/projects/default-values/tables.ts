import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { boolean, index, jsonb, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/** Key for default values, and the JSON Schema that they must match. */
export const defaultValueDefinitions = pgTable(
  'default_value_definitions',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    description: text('description'),
    schema: jsonb('schema').$type<Record<string, unknown>>().notNull(),
    isSensitive: boolean('is_sensitive').notNull().default(false),
  },
  (table) => [uniqueIndex('default_value_definitions_organization_key').on(table.organizationId, table.key)],
)

export type DefaultValueDefinitionRow = typeof defaultValueDefinitions.$inferSelect

/** Value of a definition at one level; the most specific level applies. */
export const defaultValues = pgTable(
  'default_values',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    defaultValueDefinitionId: text('default_value_definition_id')
      .notNull()
      .references(() => defaultValueDefinitions.id),
    parentType: text('parent_type').$type<'organization' | 'project' | 'environment'>().notNull(),
    parentId: text('parent_id').notNull(),
    /** Object with the value, so that null is a value, too: `{ "value": … }`, or `{ "sealed": … }` if sensitive. */
    held: jsonb('held').$type<{ value: unknown } | { sealed: string }>().notNull(),
  },
  (table) => [
    uniqueIndex('default_values_once').on(table.defaultValueDefinitionId, table.parentId),
    index('default_values_organization').on(table.organizationId, table.id),
  ],
)

export type DefaultValueRow = typeof defaultValues.$inferSelect

export const sealedDefaultValues = {
  column: defaultValues.held,
  row: [defaultValues.id],
  key: 'sealed',
  purpose: 'default values',
} as const satisfies SealedColumn
