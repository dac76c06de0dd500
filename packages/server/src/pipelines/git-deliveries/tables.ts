import type { HostEvent } from '../../git/adapter/host.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/**
 * What a git host told us. Delivered at least once, so the host's name of a delivery is unique here; so is its body,
 * since the name stands beside what is signed and may be another when somebody sends what they caught once more. It
 * belongs to no organization: a push may concern several, and none sees these rows.
 */
export const gitDeliveries = pgTable(
  'git_deliveries',
  {
    ...recordColumns,
    /** Who proved to have sent it: `githosta`, or the code source whose secret it came with. */
    sender: text('sender').notNull(),
    deliveryId: text('delivery_id').notNull(),
    /** The body's SHA-256, hexadecimal; null once the same body may come again. */
    bodyHash: text('body_hash'),
    events: jsonb('events').$type<HostEvent[]>().notNull(),
    completedAt: moment('completed_at'),
    /** When it is looked at again at the latest; null once it is done. */
    wakeAt: moment('wake_at'),
  },
  (table) => [
    uniqueIndex('git_deliveries_once').on(table.sender, table.deliveryId),
    uniqueIndex('git_deliveries_body_once').on(table.sender, table.bodyHash),
    index('git_deliveries_wake').on(table.wakeAt).where(sql`wake_at is not null`),
    index('git_deliveries_created').on(table.createdAt),
  ],
)

export type GitDeliveryRow = typeof gitDeliveries.$inferSelect
