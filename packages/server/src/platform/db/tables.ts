import { bigint, index, pgTable, text } from './drizzle.ts'

/**
 * Number of rows of an organization in a large table, or of bytes in a column (`table.column`). The total is the sum of
 * the organization's rows here: triggers write into any row that no other transaction holds, so that concurrent inserts
 * never wait for each other.
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
