import { moment } from '../../platform/db/columns.ts'
import { bigint, index, jsonb, pgTable, primaryKey, text } from '../../platform/db/drizzle.ts'

/**
 * What changed lately, written by triggers of the tables that people look at (`note_changes_of` in the migrations): so
 * no store can forget to tell, and removals and cascades are told as well. Rows are kept for minutes only.
 */
export const changes = pgTable(
  'changes',
  {
    organizationId: text('organization_id').notNull(),
    /** The transaction that made the change: its 64-bit number, which never comes again. */
    transactionId: bigint('transaction_id', { mode: 'bigint' }).notNull(),
    /** The collection of the record as in its path, such as `pipeline-runs`. */
    resource: text('resource').notNull(),
    recordId: text('record_id').notNull(),
    /** The records that it is part of, by the names of their fields. */
    belongsTo: jsonb('belongs_to').$type<Record<string, string>>().notNull(),
    changedAt: moment('changed_at').notNull().defaultNow(),
  },
  // However often a transaction changes a record, others see it change once.
  (table) => [
    primaryKey({ columns: [table.recordId, table.transactionId] }),
    index('changes_transaction').on(table.transactionId),
  ],
)
