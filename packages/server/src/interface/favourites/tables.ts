import { memberships, organizations } from '../../identity/organizations/tables.ts'
import { integer, pgTable, primaryKey, text } from '../../platform/db/drizzle.ts'

/** Favourites of members. Deleted with the membership; deleted records are not returned. */
export const favourites = pgTable(
  'favourites',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    membershipId: text('membership_id')
      .notNull()
      .references(() => memberships.id, { onDelete: 'cascade' }),
    recordId: text('record_id').notNull(),
    position: integer('position').notNull(),
  },
  (table) => [primaryKey({ columns: [table.membershipId, table.recordId] })],
)
