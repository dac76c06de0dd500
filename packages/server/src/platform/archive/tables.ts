import { timestampColumn } from '../db/columns.ts'
import { index, pgTable, text } from '../db/drizzle.ts'

/**
 * Objects without a row, recorded by the trigger `leave_archive` whenever a row is deleted. They are removed after
 * `dueAt`, when no process can still be writing them.
 */
export const archiveRemovals = pgTable(
  'archive_removals',
  { objectKey: text('object_key').primaryKey(), dueAt: timestampColumn('due_at').notNull() },
  (table) => [index('archive_removals_due').on(table.dueAt)],
)
