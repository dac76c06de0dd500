import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { boolean, integer, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { githostbInstances } from '../githostb-instances/tables.ts'

/** Access to the second git host on behalf of a person who allowed it. */
export const githostbConnections = pgTable(
  'githostb_connections',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Null for the host that the operator offers to everybody. */
    instanceId: text('instance_id').references(() => githostbInstances.id),
    baseUrl: text('base_url').notNull(),
    /** The person at the host. */
    hostUserId: text('host_user_id').notNull(),
    userName: text('user_name').notNull(),
    /** The membership of who connected it. */
    connectedById: text('connected_by_id').notNull(),
    /** The access token and the refresh token. */
    sealedTokens: text('sealed_tokens').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** Counts the tokens that there have been. */
    tokenVersion: integer('token_version').notNull().default(0),
    /** Somebody renews the tokens, and until then has the time for it. A refresh token is good once, so one does it. */
    renewingUntil: moment('renewing_until'),
    accessLost: boolean('access_lost').notNull().default(false),
  },
  (table) => [uniqueIndex('githostb_connections_once').on(table.organizationId, table.baseUrl, table.hostUserId)],
)

export type GithostbConnectionRow = typeof githostbConnections.$inferSelect

/**
 * By the person at the host, of whom an organization has one there: known before the id is, and where they are sent.
 */
export const sealedConnectionTokens = {
  column: githostbConnections.sealedTokens,
  row: [githostbConnections.baseUrl, githostbConnections.hostUserId],
  purpose: 'git hosts',
} as const satisfies SealedColumn
