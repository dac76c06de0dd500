import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { bigint, index, integer, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { stackWorkspaces } from '../stacks/tables.ts'

/** Every state that a workspace ever had; the one with the highest sequence is the present one. */
export const iacStateVersions = pgTable(
  'iac_state_versions',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    workspaceId: text('workspace_id')
      .notNull()
      .references(() => stackWorkspaces.id, { onDelete: 'cascade' }),
    sequence: integer('sequence').notNull(),
    /** The tool's own numbering of the state. */
    serial: bigint('serial', { mode: 'number' }).notNull(),
    lineage: text('lineage').notNull(),
    /** The state, compressed and sealed. */
    sealed: text('sealed').notNull(),
    /** SHA-256 of the state as the tool sent it, hexadecimal. */
    digest: text('digest').notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    resourceCount: integer('resource_count').notNull(),
    stepExecutionId: text('step_execution_id'),
    createdBy: text('created_by').notNull(),
  },
  (table) => [
    uniqueIndex('iac_state_versions_sequence').on(table.workspaceId, table.sequence),
    index('iac_state_versions_organization').on(table.organizationId, table.id),
  ],
)

export type IacStateVersionRow = typeof iacStateVersions.$inferSelect

export const sealedStates = {
  column: iacStateVersions.sealed,
  row: [iacStateVersions.id],
  purpose: 'default values',
} as const satisfies SealedColumn
