import { moment } from '../../platform/db/columns.ts'
import { pgTable, text } from '../../platform/db/drizzle.ts'

/** When the last backup of the database ended, as the operator's job reports it: one row, once there is any. */
export const backupReports = pgTable('backup_reports', {
  id: text('id').primaryKey(),
  finishedAt: moment('finished_at').notNull(),
})
