import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { notificationChannels } from '../notification-channels/tables.ts'
import type { Reply } from './replies.ts'

/** Button presses in Slack, with the pending reply. */
export const slackInteractions = pgTable(
  'slack_presses',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    channelId: text('channel_id')
      .notNull()
      .references(() => notificationChannels.id, { onDelete: 'cascade' }),
    /** SHA-256 of the request, in hexadecimal, which identifies repeated requests. */
    requestHash: text('request_hash').notNull(),
    /** Encrypted response URL, because its holder can post there. Null once the reply was sent. */
    sealedResponseUrl: text('sealed_response_url'),
    reply: jsonb('reply').$type<Reply>(),
    /** Time to send the reply; null if none is pending. */
    wakeAt: timestampColumn('wake_at'),
  },
  (table) => [
    // Unique per organization, not per channel, because channels of the same app receive the same request.
    uniqueIndex('slack_presses_once').on(table.organizationId, table.requestHash),
    index('slack_presses_channel').on(table.channelId),
    index('slack_presses_created').on(table.createdAt),
    index('slack_presses_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

export type SlackPressRow = typeof slackInteractions.$inferSelect

export const sealedResponseUrls = {
  column: slackInteractions.sealedResponseUrl,
  row: [slackInteractions.id],
  purpose: 'notification channels',
} as const satisfies SealedColumn
