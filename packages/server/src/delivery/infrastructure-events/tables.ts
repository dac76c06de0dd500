import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/**
 * Event of a cloud account. Events are delivered at least once and in any order, so the sender's event id is unique.
 */
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
    occurredAt: timestampColumn('occurred_at').notNull(),
    event: jsonb('event').$type<Record<string, unknown>>().notNull(),
    /** When to examine whether the event belongs to an external deployment; null if it does not or if that is known. */
    wakeAt: timestampColumn('wake_at'),
  },
  (table) => [
    uniqueIndex('infrastructure_events_once').on(table.cloudAccountId, table.externalEventId),
    index('infrastructure_events_organization').on(table.organizationId, table.id),
    index('infrastructure_events_account').on(table.cloudAccountId, table.organizationId, table.id),
    // Events of a resource, such as the service of an instance.
    index('infrastructure_events_resource')
      .on(table.organizationId, table.resourceArn, table.id)
      .where(sql`resource_arn is not null`),
    index('infrastructure_events_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

export type InfrastructureEventRow = typeof infrastructureEvents.$inferSelect
