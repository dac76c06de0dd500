import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { boolean, index, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/** GitHub App installations that organizations have claimed. */
export const githostaInstallations = pgTable(
  'githosta_installations',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    githostaInstallationId: text('githosta_installation_id').notNull(),
    accountName: text('account_name').notNull(),
    /** Membership of the person who claimed it. */
    claimedById: text('claimed_by_id').notNull(),
    accessLost: boolean('access_lost').notNull().default(false),
  },
  (table) => [
    uniqueIndex('githosta_installations_once').on(table.organizationId, table.githostaInstallationId),
    index('githosta_installations_installation').on(table.githostaInstallationId),
  ],
)

export type GithostaInstallationRow = typeof githostaInstallations.$inferSelect
