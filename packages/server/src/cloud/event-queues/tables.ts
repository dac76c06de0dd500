import type { UserFacingError } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { cloudAccounts } from '../cloud-accounts/tables.ts'

/** Queue from which an account's events are polled, and the process that polls it. */
export const eventQueues = pgTable(
  'event_queues',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    cloudAccountId: text('cloud_account_id')
      .notNull()
      .references(() => cloudAccounts.id, { onDelete: 'cascade' }),
    queueArn: text('queue_arn').notNull(),
    /** Process that polls the queue, and when its lease expires. */
    leasedBy: text('leased_by'),
    leasedUntil: timestampColumn('leased_until'),
    lastPolledAt: timestampColumn('last_polled_at'),
    error: jsonb('error').$type<UserFacingError>(),
  },
  (table) => [
    uniqueIndex('event_queues_account').on(table.cloudAccountId),
    // Unique across organizations: two pollers of one queue would each get a part of the events.
    uniqueIndex('event_queues_arn').on(table.queueArn),
    index('event_queues_organization').on(table.organizationId),
  ],
)

export type EventQueueRow = typeof eventQueues.$inferSelect
