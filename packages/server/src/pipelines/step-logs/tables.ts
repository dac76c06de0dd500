import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { bigint, index, integer, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'

/**
 * A stretch of the log of a step that is over, as one object of the archive. The row is there before the object, and
 * is believed once `storedAt` is set, in the transaction that removes the chunks.
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
    /** Bytes of the texts, which count among those that are kept of the organization. */
    textBytes: bigint('text_bytes', { mode: 'number' }).notNull(),
    objectKey: text('object_key').notNull(),
    /** The key of the object, sealed: keys are rotated without touching the archive. */
    sealedKey: text('sealed_key').notNull(),
    /** Until then somebody writes the object. */
    claimedUntil: moment('claimed_until').notNull(),
    storedAt: moment('stored_at'),
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
