import type { DeliveryAttempt, NotificationDelivery } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { bigint, boolean, index, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { renamedJson } from '../../platform/db/renamed.ts'
import { formerPayload } from '../former-types.ts'
import { notificationChannels } from '../notification-channels/tables.ts'

export const notificationDeliveries = pgTable(
  'notification_deliveries',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    channelId: text('channel_id')
      .notNull()
      .references(() => notificationChannels.id, { onDelete: 'cascade' }),
    /** Order of deliveries about a record. */
    sequence: bigint('sequence', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    eventId: text('event_id').notNull(),
    recordId: text('record_id').notNull(),
    payload: renamedJson('payload', formerPayload).notNull(),
    status: text('status').$type<NotificationDelivery['status']>().notNull(),
    attempts: jsonb('attempts').$type<DeliveryAttempt[]>().notNull().default([]),
    /** Time of the next attempt; null once completed. */
    nextAttemptAt: timestampColumn('next_attempt_at'),
    /** Whether it was delayed by quiet hours or a digest. */
    isHeldBack: boolean('is_held_back').notNull().default(false),
    /**
     * Id of the delivery that represents the combined message. Stored before sending, so that the message stays the
     * same.
     */
    digestId: text('digest_id'),
    /** Earlier delivery of the same event, if a user requested to resend it. */
    resendOf: text('resend_of'),
  },
  (table) => [
    // A channel gets an event once, however often its change is processed.
    uniqueIndex('notification_deliveries_once').on(table.channelId, table.eventId).where(sql`resend_of is null`),
    index('notification_deliveries_pending')
      .on(table.channelId, table.recordId, table.sequence)
      .where(sql`status = 'PENDING'`),
    index('notification_deliveries_channel').on(table.channelId, table.organizationId, table.id),
    index('notification_deliveries_organization').on(table.organizationId, table.id),
  ],
)

export type NotificationDeliveryRow = typeof notificationDeliveries.$inferSelect
