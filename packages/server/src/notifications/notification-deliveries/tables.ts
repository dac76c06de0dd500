import type { DeliveryAttempt, NotificationDelivery } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
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
    /** The order in which a channel is told of a record. */
    sequence: bigint('sequence', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    eventId: text('event_id').notNull(),
    recordId: text('record_id').notNull(),
    payload: renamedJson('payload', formerPayload).notNull(),
    status: text('status').$type<NotificationDelivery['status']>().notNull(),
    attempts: jsonb('attempts').$type<DeliveryAttempt[]>().notNull().default([]),
    /** Null where it is over. */
    nextAttemptAt: moment('next_attempt_at'),
    /** It waits, or waited, for the end of quiet hours or for a digest. */
    isHeldBack: boolean('is_held_back').notNull().default(false),
    /** What was put into one message, by one of them: written down before it is sent, so that it stays the same. */
    digestId: text('digest_id'),
    /** The delivery that said the same before, where somebody asked for it again. */
    resendOf: text('resend_of'),
  },
  (table) => [
    // A channel is told of an event once, however often the change that made it is looked at.
    uniqueIndex('notification_deliveries_once').on(table.channelId, table.eventId).where(sql`resend_of is null`),
    index('notification_deliveries_pending')
      .on(table.channelId, table.recordId, table.sequence)
      .where(sql`status = 'PENDING'`),
    index('notification_deliveries_channel').on(table.channelId, table.organizationId, table.id),
    index('notification_deliveries_organization').on(table.organizationId, table.id),
  ],
)

export type NotificationDeliveryRow = typeof notificationDeliveries.$inferSelect
