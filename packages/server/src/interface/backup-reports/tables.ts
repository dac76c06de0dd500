import { timestampColumn } from '../../platform/db/columns.ts'
import { pgTable, text } from '../../platform/db/drizzle.ts'

/** End of the last backup, as the operator's job reports it: at most one row. */
export const backupReports = pgTable('backup_reports', {
  id: text('id').primaryKey(),
  finishedAt: timestampColumn('finished_at').notNull(),
})
