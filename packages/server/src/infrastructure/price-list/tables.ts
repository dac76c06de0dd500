import type { Price } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { jsonb, pgTable, text } from '../../platform/db/drizzle.ts'

/** Price lists of organizations. Without a row, the list is empty. */
export const priceLists = pgTable('price_lists', {
  ...recordColumns,
  organizationId: text('organization_id')
    .notNull()
    .unique()
    .references(() => organizations.id, { onDelete: 'cascade' }),
  currency: text('currency').notNull(),
  prices: jsonb('prices').$type<Price[]>().notNull(),
})
