import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { index, pgTable, text } from '../../platform/db/drizzle.ts'
import { identities, memberships, organizations } from '../organizations/tables.ts'

/** Browser sessions of users, each in one organization. Cookies are stored as SHA-256 in hexadecimal. */
export const sessions = pgTable(
  'sessions',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    membershipId: text('membership_id')
      .notNull()
      .references(() => memberships.id, { onDelete: 'cascade' }),
    identityId: text('identity_id')
      .notNull()
      .references(() => identities.id, { onDelete: 'cascade' }),
    /** The identity provider's session id, if any. */
    providerSessionId: text('provider_session_id'),
    tokenHash: text('token_hash').notNull().unique(),
    expiresAt: timestampColumn('expires_at').notNull(),
    lastUsedAt: timestampColumn('last_used_at'),
    /** Browser's user agent at sign-in. */
    userAgent: text('user_agent'),
    /** IP address from which the user signed in. */
    ipAddress: text('ip_address'),
  },
  (table) => [index('sessions_membership').on(table.membershipId), index('sessions_identity').on(table.identityId)],
)
