import { recordColumns } from '../../platform/db/columns.ts'
import { pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { memberships, organizations } from '../organizations/tables.ts'

/** Links between members and Slack accounts, one to one within an organization. */
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
    /** Slack's ids. A user id is unique only within its workspace. */
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
