import { memberships, organizations } from '../../identity/organizations/tables.ts'
import { timestampColumn } from '../../platform/db/columns.ts'
import { index, pgTable, text } from '../../platform/db/drizzle.ts'

/** Time up to which members have seen failures. Deleted with the membership. */
export const inboxes = pgTable(
  'inboxes',
  {
    membershipId: text('membership_id')
      .primaryKey()
      .references(() => memberships.id, { onDelete: 'cascade' }),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    seenUntil: timestampColumn('seen_until').notNull(),
  },
  (table) => [index('inboxes_organization').on(table.organizationId)],
)
