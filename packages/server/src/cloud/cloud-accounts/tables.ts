import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { index, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'

export type CloudAccountStatus = 'AWAITING_CONNECTION' | 'CONNECTED' | 'ERROR' | 'DISCONNECTED'

export const cloudAccounts = pgTable(
  'cloud_accounts',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    givenId: text('given_id').notNull(),
    name: text('name').notNull(),
    status: text('status').$type<CloudAccountStatus>().notNull(),
    /** The role that Sluice assumes in the account. */
    cloudArn: text('cloud_arn'),
    /** The account's twelve-digit number. */
    cloudId: text('cloud_id'),
    cfnStackId: text('cfn_stack_id'),
    roleVersion: text('role_version'),
    latestRoleVersion: text('latest_role_version'),
    latestRoleVersionDescription: text('latest_role_version_description'),
    /** Sent with every AssumeRole; made by us, one per connection, so that no tenant can borrow another's role. */
    externalId: text('external_id').notNull(),
    /** SHA-256 (hexadecimal) of the secret that the account's event delivery presents; absent = no events are taken. */
    eventSecretHash: text('event_secret_hash'),
  },
  (table) => [
    uniqueIndex('cloud_accounts_organization_given_id').on(table.organizationId, table.givenId),
    // Over all organizations: a role that one of them uses cannot be borrowed by another.
    uniqueIndex('cloud_accounts_cloud_arn').on(table.cloudArn),
    index('cloud_accounts_organization_cloud_id').on(table.organizationId, table.cloudId),
  ],
)

export type CloudAccountRow = typeof cloudAccounts.$inferSelect
