import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { index, integer, jsonb, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { projects } from '../../projects/projects/tables.ts'

/** Infrastructure with a common state. */
export const stacks = pgTable(
  'stacks',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id),
    givenId: text('given_id').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    /** Outputs of its last apply that are not sensitive. */
    outputs: jsonb('outputs').$type<Record<string, unknown>>(),
    /** Encrypted object with the sensitive outputs, by name. */
    sealedOutputs: text('sealed_outputs'),
    lastAppliedAt: timestampColumn('last_applied_at'),
    lastAppliedRunId: text('last_applied_run_id'),
  },
  (table) => [
    uniqueIndex('stacks_project_given_id').on(table.projectId, table.givenId),
    index('stacks_organization').on(table.organizationId, table.id),
  ],
)

export type StackRow = typeof stacks.$inferSelect

export const sealedStackOutputs = {
  column: stacks.sealedOutputs,
  row: [stacks.id],
  purpose: 'default values',
} as const satisfies SealedColumn

/** Lock of a workspace's state. It belongs to a step execution and ends with it, even if the tool crashes. */
export type StateLock = {
  /** Id that the tool assigned to the lock. */
  id: string
  operation: string
  heldBy: string
  since: string
  stepExecutionId?: string
}

/** Named state of a stack. */
export const stackWorkspaces = pgTable(
  'stack_workspaces',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    stackId: text('stack_id')
      .notNull()
      .references(() => stacks.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** Number of its newest state version; versions are numbered without gaps. */
    latestStateSequence: integer('latest_state_sequence').notNull().default(0),
    /** Current lock; null if there is none. */
    lock: jsonb('lock').$type<StateLock>(),
  },
  (table) => [
    uniqueIndex('stack_workspaces_stack_name').on(table.stackId, table.name),
    index('stack_workspaces_organization').on(table.organizationId, table.id),
  ],
)

export type StackWorkspaceRow = typeof stackWorkspaces.$inferSelect
