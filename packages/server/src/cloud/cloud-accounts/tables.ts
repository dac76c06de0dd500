import type { UserFacingError } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'

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
    isProduction: boolean('is_production').notNull().default(false),
    /** The role that Sluice assumes in the account. */
    cloudArn: text('cloud_arn'),
    /** The account's twelve-digit number. */
    cloudId: text('cloud_id'),
    /** What the role says of itself: see role-version.ts. */
    cfnStackId: text('cfn_stack_id'),
    roleVersion: text('role_version'),
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

/**
 * What is done about a connected account again and again, and how it went. Beside the account, whose every change is
 * told to those who follow changes.
 */
export const cloudConnections = pgTable(
  'cloud_connections',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    cloudAccountId: text('cloud_account_id')
      .notNull()
      .references(() => cloudAccounts.id, { onDelete: 'cascade' }),
    /** When it is to be checked next whether the account lets us in. */
    checkAt: moment('check_at').notNull(),
    checkedAt: moment('checked_at'),
    /** How often in a row it did not. */
    refusals: integer('refusals').notNull().default(0),
    /** What was wrong at the last check. */
    error: jsonb('error').$type<UserFacingError>(),
    /** When it is to be looked next for releases that others began. */
    lookAt: moment('look_at').notNull(),
  },
  (table) => [
    uniqueIndex('cloud_connections_account').on(table.cloudAccountId),
    index('cloud_connections_organization').on(table.organizationId),
    index('cloud_connections_check').on(table.checkAt),
    index('cloud_connections_look').on(table.lookAt),
  ],
)

export type CloudConnectionRow = typeof cloudConnections.$inferSelect
