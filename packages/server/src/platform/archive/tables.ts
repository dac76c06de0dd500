import { moment } from '../db/columns.ts'
import { index, pgTable, text } from '../db/drizzle.ts'

/**
 * Objects that no row knows any more: the trigger `leave_archive` notes them, whatever removed the row. They go from
 * `dueAt` on, when nobody can still be writing them.
 */
export const archiveRemovals = pgTable(
  'archive_removals',
  { objectKey: text('object_key').primaryKey(), dueAt: moment('due_at').notNull() },
  (table) => [index('archive_removals_due').on(table.dueAt)],
)
