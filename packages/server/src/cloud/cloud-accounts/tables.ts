import type { UserFacingError } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
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
    /** ARN of the role that Sluice assumes in the account. */
    cloudArn: text('cloud_arn'),
    cloudId: text('cloud_id'),
    /** From the role's tags; see role-version.ts. */
    cfnStackId: text('cfn_stack_id'),
    roleVersion: text('role_version'),
    /** Sent with every AssumeRole. Sluice generates it per connection, so that no tenant can use another's role. */
    externalId: text('external_id').notNull(),
    /** SHA-256, in hexadecimal, of the secret that authenticates event deliveries. Without one, events are rejected. */
    eventSecretHash: text('event_secret_hash'),
  },
  (table) => [
    uniqueIndex('cloud_accounts_organization_given_id').on(table.organizationId, table.givenId),
    // Unique across organizations, so that no organization can use another's role.
    uniqueIndex('cloud_accounts_cloud_arn').on(table.cloudArn),
    index('cloud_accounts_organization_cloud_id').on(table.organizationId, table.cloudId),
  ],
)

export type CloudAccountRow = typeof cloudAccounts.$inferSelect

/**
 * State of the periodic tasks for connected accounts. A separate table, because every change of an account emits an
 * event.
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
    /** Time of the next connection check. */
    checkAt: timestampColumn('check_at').notNull(),
    checkedAt: timestampColumn('checked_at'),
    /** Number of consecutive failed checks. */
    refusals: integer('refusals').notNull().default(0),
    /** Error of the last check. */
    error: jsonb('error').$type<UserFacingError>(),
    /** Time of the next detection of external deployments. */
    lookAt: timestampColumn('look_at').notNull(),
  },
  (table) => [
    uniqueIndex('cloud_connections_account').on(table.cloudAccountId),
    index('cloud_connections_organization').on(table.organizationId),
    index('cloud_connections_check').on(table.checkAt),
    index('cloud_connections_look').on(table.lookAt),
  ],
)

export type CloudConnectionRow = typeof cloudConnections.$inferSelect
