import { organizations } from '../../identity/organizations/tables.ts'
import { moment } from '../../platform/db/columns.ts'
import { index, pgTable, text } from '../../platform/db/drizzle.ts'

/** States that came back from a git host: each is good once. */
export const spentGitStates = pgTable(
  'spent_git_states',
  {
    id: text('id').primaryKey(),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** From then on it is worth nothing anyway. */
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('spent_git_states_organization').on(table.organizationId, table.expiresAt)],
)
