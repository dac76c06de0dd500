import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { bigint, index, integer, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { stackWorkspaces } from '../stacks/tables.ts'

/** All state versions of workspaces; the one with the highest sequence is current. */
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
    /** Serial of the state, assigned by the IaC tool. */
    serial: bigint('serial', { mode: 'number' }).notNull(),
    lineage: text('lineage').notNull(),
    /** Compressed and encrypted state. */
    sealed: text('sealed').notNull(),
    /** Hexadecimal SHA-256 of the uploaded state. */
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
