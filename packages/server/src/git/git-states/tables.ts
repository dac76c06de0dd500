import { organizations } from '../../identity/organizations/tables.ts'
import { timestampColumn } from '../../platform/db/columns.ts'
import { index, pgTable, text } from '../../platform/db/drizzle.ts'

/** Used authorization states. Each can be used once. */
export const spentGitStates = pgTable(
  'spent_git_states',
  {
    id: text('id').primaryKey(),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** The state is invalid after this time, so the row can be deleted. */
    expiresAt: timestampColumn('expires_at').notNull(),
  },
  (table) => [index('spent_git_states_organization').on(table.organizationId, table.expiresAt)],
)
