import { index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { cloudAccounts } from '../cloud-accounts/tables.ts'
import { organizations } from '../organizations/tables.ts'
import { moment, recordColumns } from '../platform/db/columns.ts'

/** What a cloud account told us. Delivered at least once and in any order, so the sender's event id is unique here. */
export const infrastructureEvents = pgTable(
  'infrastructure_events',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    cloudAccountId: text('cloud_account_id')
      .notNull()
      .references(() => cloudAccounts.id, { onDelete: 'cascade' }),
    externalEventId: text('external_event_id').notNull(),
    source: text('source').notNull(),
    detailType: text('detail_type').notNull(),
    resourceArn: text('resource_arn'),
    occurredAt: moment('occurred_at').notNull(),
    event: jsonb('event').$type<Record<string, unknown>>().notNull(),
  },
  (table) => [
    uniqueIndex('infrastructure_events_once').on(table.cloudAccountId, table.externalEventId),
    index('infrastructure_events_organization').on(table.organizationId, table.id),
    index('infrastructure_events_account').on(table.cloudAccountId, table.organizationId, table.id),
  ],
)

export type InfrastructureEventRow = typeof infrastructureEvents.$inferSelect
