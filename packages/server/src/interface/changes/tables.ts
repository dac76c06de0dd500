import { timestampColumn } from '../../platform/db/columns.ts'
import { bigint, index, jsonb, pgTable, primaryKey, text } from '../../platform/db/drizzle.ts'

/**
 * Recent changes, written by database triggers (`note_changes_of` in the migrations), so that no store can omit one,
 * and deletions and cascades are included. Retained for minutes only.
 */
export const changes = pgTable(
  'changes',
  {
    organizationId: text('organization_id').notNull(),
    /** Number of the transaction that made the change: 64 bits, never reused. */
    transactionId: bigint('transaction_id', { mode: 'bigint' }).notNull(),
    /** Collection of the record as in its path, such as `pipeline-runs`. */
    resource: text('resource').notNull(),
    recordId: text('record_id').notNull(),
    /** Ids of its parent records, by field name. */
    belongsTo: jsonb('belongs_to').$type<Record<string, string>>().notNull(),
    changedAt: timestampColumn('changed_at').notNull().defaultNow(),
  },
  // A record that changes several times in a transaction is visible as one change.
  (table) => [
    primaryKey({ columns: [table.recordId, table.transactionId] }),
    index('changes_transaction').on(table.transactionId),
  ],
)
