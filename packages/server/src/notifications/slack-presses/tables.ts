import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { notificationChannels } from '../notification-channels/tables.ts'
import type { Reply } from './replies.ts'

/** That somebody pressed a button in Slack, and what is still to be said to that. */
export const slackPresses = pgTable(
  'slack_presses',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    channelId: text('channel_id')
      .notNull()
      .references(() => notificationChannels.id, { onDelete: 'cascade' }),
    /** The SHA-256 of the request, hexadecimal: what comes again is the same press, and decides nothing twice. */
    requestHash: text('request_hash').notNull(),
    /** Where it is answered: whoever knows that can write there. Null once it was. */
    sealedResponseUrl: text('sealed_response_url'),
    reply: jsonb('reply').$type<Reply>(),
    /** When the reply is to be sent; null while there is none, and once there is none to be sent any more. */
    wakeAt: moment('wake_at'),
  },
  (table) => [
    // Not of a channel: others of the same app would take the same request.
    uniqueIndex('slack_presses_once').on(table.organizationId, table.requestHash),
    index('slack_presses_channel').on(table.channelId),
    index('slack_presses_created').on(table.createdAt),
    index('slack_presses_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

export type SlackPressRow = typeof slackPresses.$inferSelect

export const sealedResponseUrls = {
  column: slackPresses.sealedResponseUrl,
  row: [slackPresses.id],
  purpose: 'notification channels',
} as const satisfies SealedColumn
