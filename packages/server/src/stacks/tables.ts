import { index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { organizations } from '../organizations/tables.ts'
import { recordColumns } from '../platform/db/columns.ts'
import { projects } from '../projects/tables.ts'

/** Infrastructure that is changed together: one state. */
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
    /** The outputs of its last apply. */
    outputs: jsonb('outputs').$type<Record<string, unknown>>(),
  },
  (table) => [uniqueIndex('stacks_project_given_id').on(table.projectId, table.givenId)],
)

export type StackRow = typeof stacks.$inferSelect

/** A named state of a stack. */
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
  },
  (table) => [
    uniqueIndex('stack_workspaces_stack_name').on(table.stackId, table.name),
    index('stack_workspaces_organization').on(table.organizationId, table.id),
  ],
)

export type StackWorkspaceRow = typeof stackWorkspaces.$inferSelect
