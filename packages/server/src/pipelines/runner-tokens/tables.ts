import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { index, pgTable, text } from '../../platform/db/drizzle.ts'

/** Tokens with which runners join a pool. A revoked one is deleted. */
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
    /** Hexadecimal SHA-256 of the token. */
    tokenHash: text('token_hash').notNull().unique(),
    /** First characters of the token, so that users can distinguish tokens. */
    tokenHint: text('token_hint').notNull(),
    lastUsedAt: timestampColumn('last_used_at'),
  },
  (table) => [index('runner_tokens_organization').on(table.organizationId, table.id)],
)

export type RunnerTokenRow = typeof runnerTokens.$inferSelect
