import type { HostEvent } from '../../git/adapter/host.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/**
 * Deliveries of Git hosts, which repeat them. The delivery id is unique, and so is the body, because the id is not
 * signed and a replay could change it. Belongs to no organization, since a push may concern several; no organization
 * can read it.
 */
export const gitDeliveries = pgTable(
  'git_deliveries',
  {
    ...recordColumns,
    /** Authenticated sender: `githosta`, or the code source whose secret it had. */
    sender: text('sender').notNull(),
    deliveryId: text('delivery_id').notNull(),
    /** Hexadecimal SHA-256 of the body; null once the same body can legitimately come again. */
    bodyHash: text('body_hash'),
    events: jsonb('events').$type<HostEvent[]>().notNull(),
    completedAt: timestampColumn('completed_at'),
    /** Time by which the delivery is attempted again; null once it is processed. */
    wakeAt: timestampColumn('wake_at'),
  },
  (table) => [
    uniqueIndex('git_deliveries_once').on(table.sender, table.deliveryId),
    uniqueIndex('git_deliveries_body_once').on(table.sender, table.bodyHash),
    index('git_deliveries_wake').on(table.wakeAt).where(sql`wake_at is not null`),
    index('git_deliveries_created').on(table.createdAt),
  ],
)

export type GitDeliveryRow = typeof gitDeliveries.$inferSelect
