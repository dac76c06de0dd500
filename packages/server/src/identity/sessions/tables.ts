import { moment, recordColumns } from '../../platform/db/columns.ts'
import { index, pgTable, text } from '../../platform/db/drizzle.ts'
import { identities, memberships, organizations } from '../organizations/tables.ts'

/** A sign-in of a user into one of the user's organizations. Only the SHA-256 (hexadecimal) of its cookie is kept. */
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
    /** What the identity provider calls it, where it does. */
    providerSessionId: text('provider_session_id'),
    tokenHash: text('token_hash').notNull().unique(),
    expiresAt: moment('expires_at').notNull(),
    lastUsedAt: moment('last_used_at'),
    /** The browser, as it called itself at the sign-in. */
    userAgent: text('user_agent'),
    /** Where the sign-in came from. */
    ipAddress: text('ip_address'),
  },
  (table) => [index('sessions_membership').on(table.membershipId), index('sessions_identity').on(table.identityId)],
)
