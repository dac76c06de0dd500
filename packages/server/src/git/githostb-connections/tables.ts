import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { boolean, integer, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { githostbInstances } from '../githostb-instances/tables.ts'

/** Connections to GitLab on behalf of a person. */
export const githostbConnections = pgTable(
  'githostb_connections',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Null for the operator's GitLab server. */
    instanceId: text('instance_id').references(() => githostbInstances.id),
    baseUrl: text('base_url').notNull(),
    /** The person's user id at GitLab. */
    hostUserId: text('host_user_id').notNull(),
    userName: text('user_name').notNull(),
    /** Membership of the person who connected. */
    connectedById: text('connected_by_id').notNull(),
    /** Encrypted access token and refresh token. */
    sealedTokens: text('sealed_tokens').notNull(),
    expiresAt: timestampColumn('expires_at').notNull(),
    /** Number of times that the tokens were refreshed. */
    tokenVersion: integer('token_version').notNull().default(0),
    /** Lease of the process that refreshes the tokens. A refresh token works once, so only one process may use it. */
    renewingUntil: timestampColumn('renewing_until'),
    accessLost: boolean('access_lost').notNull().default(false),
  },
  (table) => [uniqueIndex('githostb_connections_once').on(table.organizationId, table.baseUrl, table.hostUserId)],
)

export type GithostbConnectionRow = typeof githostbConnections.$inferSelect

/** Encryption context: GitLab address and user id, which are known before the row has an id. */
export const sealedConnectionTokens = {
  column: githostbConnections.sealedTokens,
  row: [githostbConnections.baseUrl, githostbConnections.hostUserId],
  purpose: 'git hosts',
} as const satisfies SealedColumn
