import type { savedViewPages } from '@sluice/contract'
import { memberships, organizations } from '../../identity/organizations/tables.ts'
import { boolean, index, integer, pgTable, primaryKey, text } from '../../platform/db/drizzle.ts'

/** Filters of pages that members saved. Deleted with the membership. */
export const savedViews = pgTable(
  'saved_views',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    membershipId: text('membership_id')
      .notNull()
      .references(() => memberships.id, { onDelete: 'cascade' }),
    page: text('page').$type<(typeof savedViewPages)[number]>().notNull(),
    name: text('name').notNull(),
    search: text('search').notNull(),
    isShared: boolean('is_shared').notNull(),
    position: integer('position').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.membershipId, table.page, table.name] }),
    index('saved_views_organization').on(table.organizationId),
  ],
)
