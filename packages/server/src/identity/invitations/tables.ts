import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { organizations, type Role } from '../organizations/tables.ts'

/** Invitations to become a member. Tokens are stored as SHA-256 in hexadecimal. */
export const invitations = pgTable(
  'invitations',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    role: text('role').$type<Role>().notNull(),
    tokenHash: text('token_hash').notNull().unique(),
    expiresAt: timestampColumn('expires_at').notNull(),
    acceptedAt: timestampColumn('accepted_at'),
    invitedById: text('invited_by_id').notNull(),
  },
  (table) => [uniqueIndex('invitations_organization_email').on(table.organizationId, table.email)],
)

export type InvitationRow = typeof invitations.$inferSelect
