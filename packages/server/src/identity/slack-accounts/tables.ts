import { recordColumns } from '../../platform/db/columns.ts'
import { pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { memberships, organizations } from '../organizations/tables.ts'

/** Who of the members somebody is at Slack. In an organization it is one account to one member. */
export const slackAccounts = pgTable(
  'slack_accounts',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    membershipId: text('membership_id')
      .notNull()
      .references(() => memberships.id, { onDelete: 'cascade' }),
    /** The ids that Slack gives: an account's is its own only together with that of its workspace. */
    slackTeam: text('slack_team').notNull(),
    slackTeamName: text('slack_team_name'),
    slackUser: text('slack_user').notNull(),
    slackUserName: text('slack_user_name'),
  },
  (table) => [
    uniqueIndex('slack_accounts_person').on(table.organizationId, table.slackTeam, table.slackUser),
    uniqueIndex('slack_accounts_membership').on(table.membershipId),
  ],
)

export type SlackAccountRow = typeof slackAccounts.$inferSelect
