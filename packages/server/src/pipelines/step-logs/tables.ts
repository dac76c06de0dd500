import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { bigint, index, integer, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'

/**
 * Section of an ended step's log as one archive object. The row is created before the object and valid once `storedAt`
 * is set, in the transaction that deletes the chunks.
 */
export const archivedStepLogs = pgTable(
  'archived_step_logs',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    stepExecutionId: text('step_execution_id')
      .notNull()
      .references(() => pipelineStepExecutions.id, { onDelete: 'cascade' }),
    firstSequence: integer('first_sequence').notNull(),
    lastSequence: integer('last_sequence').notNull(),
    chunkCount: integer('chunk_count').notNull(),
    /** Size of the texts in bytes, which counts towards the organization's storage. */
    textBytes: bigint('text_bytes', { mode: 'number' }).notNull(),
    objectKey: text('object_key').notNull(),
    /** Encrypted key of the object, so that keys can be rotated without changing the archive. */
    sealedKey: text('sealed_key').notNull(),
    /** End of the lease of the process that writes the object. */
    claimedUntil: timestampColumn('claimed_until').notNull(),
    storedAt: timestampColumn('stored_at'),
  },
  (table) => [
    uniqueIndex('archived_step_logs_first').on(table.stepExecutionId, table.firstSequence),
    index('archived_step_logs_organization').on(table.organizationId, table.id),
  ],
)

export type ArchivedStepLogRow = typeof archivedStepLogs.$inferSelect

export const sealedLogKeys = {
  column: archivedStepLogs.sealedKey,
  row: [archivedStepLogs.id],
  purpose: 'archive',
} as const satisfies SealedColumn
