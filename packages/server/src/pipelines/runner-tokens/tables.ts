import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { index, pgTable, text } from '../../platform/db/drizzle.ts'

/** Lets runners join a pool. One that is revoked is gone. */
export const runnerTokens = pgTable(
  'runner_tokens',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    executionEnvironmentId: text('execution_environment_id')
      .notNull()
      .references(() => executionEnvironments.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** SHA-256 of the token, hexadecimal. */
    tokenHash: text('token_hash').notNull().unique(),
    /** The first characters of the token, so that a person can tell tokens apart. */
    tokenHint: text('token_hint').notNull(),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [index('runner_tokens_organization').on(table.organizationId, table.id)],
)

export type RunnerTokenRow = typeof runnerTokens.$inferSelect
