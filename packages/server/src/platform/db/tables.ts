import { bigint, index, pgTable, text } from './drizzle.ts'

/**
 * How many rows an organization has in a large table, or bytes in a column, which is named `table.column`. The number
 * is the sum of the organization's rows here: triggers of the large table write into any that no other transaction
 * holds, so that two inserts never wait for each other.
 */
export const rowCounts = pgTable(
  'row_counts',
  {
    id: text('id').primaryKey(),
    organizationId: text('organization_id').notNull(),
    tableName: text('table_name').notNull(),
    rowCount: bigint('row_count', { mode: 'number' }).notNull(),
  },
  (table) => [index('row_counts_table').on(table.organizationId, table.tableName)],
)
