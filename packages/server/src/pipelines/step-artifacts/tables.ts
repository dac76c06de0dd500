import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { index, integer, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'

/** Files that a step passes to later steps of its run under a name. Valid once `storedAt` is set. */
export const stepArtifacts = pgTable(
  'step_artifacts',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    pipelineRunId: text('pipeline_run_id')
      .notNull()
      .references(() => pipelineRuns.id, { onDelete: 'cascade' }),
    stepExecutionId: text('step_execution_id')
      .notNull()
      .references(() => pipelineStepExecutions.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    pieceCount: integer('piece_count').notNull().default(0),
    fileCount: integer('file_count').notNull().default(0),
    /** Total size of the files, without compression. */
    sizeBytes: integer('size_bytes').notNull().default(0),
    /** SHA-256 hash of all pieces, in hexadecimal. */
    sha256: text('sha256').notNull().default(''),
    storedAt: timestampColumn('stored_at'),
  },
  (table) => [
    // A name stands for the files of one step, so that it does not depend on the order of steps what a later one gets.
    uniqueIndex('step_artifacts_name').on(table.pipelineRunId, table.name),
    index('step_artifacts_step').on(table.stepExecutionId),
    index('step_artifacts_organization').on(table.organizationId, table.id),
  ],
)

export type StepArtifactRow = typeof stepArtifacts.$inferSelect

/** Piece of the compressed files. */
export const stepArtifactPieces = pgTable(
  'step_artifact_pieces',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    stepArtifactId: text('step_artifact_id')
      .notNull()
      .references(() => stepArtifacts.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(),
    /** Encrypted content, because programs may write secrets into files, where nothing masks them. */
    sealed: text('sealed').notNull(),
  },
  (table) => [
    uniqueIndex('step_artifact_pieces_position').on(table.stepArtifactId, table.position),
    index('step_artifact_pieces_organization').on(table.organizationId, table.id),
  ],
)

/** Bound to the artifact, so that pieces of one cannot be moved to another. */
export const sealedArtifactPieces = {
  column: stepArtifactPieces.sealed,
  row: [stepArtifactPieces.stepArtifactId],
  purpose: 'default values',
} as const satisfies SealedColumn
