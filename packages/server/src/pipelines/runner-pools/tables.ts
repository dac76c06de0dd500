import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/** Runners of pools, with the properties that they reported. */
export const runners = pgTable(
  'runners',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    executionEnvironmentId: text('execution_environment_id')
      .notNull()
      .references(() => executionEnvironments.id, { onDelete: 'cascade' }),
    /** Name that the runner reports; it is not authenticated. */
    runnerId: text('runner_id').notNull(),
    runnerTokenId: text('runner_token_id').notNull(),
    machine: text('machine').notNull(),
    version: text('version').notNull(),
    isolation: text('isolation').notNull(),
    labels: jsonb('labels').$type<string[]>().notNull(),
    capacity: integer('capacity').notNull(),
    lastSeenAt: timestampColumn('last_seen_at').notNull(),
    isDraining: boolean('is_draining').notNull().default(false),
  },
  (table) => [
    uniqueIndex('runners_once').on(table.executionEnvironmentId, table.runnerId),
    index('runners_organization').on(table.organizationId, table.id),
  ],
)

export type RunnerRow = typeof runners.$inferSelect
