import type { NotificationChannel, NotificationType, Severity } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { bigint, boolean, index, jsonb, pgTable, sql, text } from '../../platform/db/drizzle.ts'
import { projects } from '../../projects/projects/tables.ts'

export const notificationChannels = pgTable(
  'notification_channels',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Null: it is told of the whole organization. */
    projectId: text('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<NotificationChannel['kind']>().notNull(),
    name: text('name').notNull(),
    /** Null where the address is secret, or there is none. */
    url: text('url'),
    recipients: jsonb('recipients').$type<string[]>().notNull().default([]),
    /** None: it is told of everything. */
    events: jsonb('events').$type<NotificationType[]>().notNull(),
    minimumSeverity: text('minimum_severity').$type<Severity>().notNull().default('INFO'),
    /** None: it is told of all environments. */
    environmentIds: jsonb('environment_ids').$type<string[]>().notNull(),
    enabled: boolean('enabled').notNull(),
    disabledReason: text('disabled_reason'),
    /** The first of its attempts that have failed without one that did not. */
    failingSince: moment('failing_since'),
    /** When so much had failed that the other channels were told; null where it works. */
    brokenSince: moment('broken_since'),
    createdBy: text('created_by').notNull(),

    // From here on: what the wire never shows.
    /** What happened before it was made or enabled is not told. */
    toldSince: moment('told_since').notNull(),
    /** What signs, or where or by what it is reached, as its kind has it; null for mail. */
    sealedSecret: text('sealed_secret'),
    /** The secret that signed before, and does for a while. */
    sealedFormerSecret: text('sealed_former_secret'),
    formerSecretUntil: moment('former_secret_until'),
    /** When something is to be sent to it; null while there is nothing. */
    wakeAt: moment('wake_at'),
  },
  (table) => [
    index('notification_channels_organization').on(table.organizationId, table.id),
    index('notification_channels_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

export type NotificationChannelRow = typeof notificationChannels.$inferSelect

/**
 * How far the changes of an organization with channels were looked through. Whoever makes or removes a channel, or
 * looks, locks it.
 */
export const notificationPositions = pgTable('notification_positions', {
  organizationId: text('organization_id')
    .primaryKey()
    .references(() => organizations.id, { onDelete: 'cascade' }),
  /** What lower transactions changed was looked at. */
  transactionId: bigint('transaction_id', { mode: 'bigint' }).notNull(),
  /** When that was, by the clock of the database. */
  readAt: moment('read_at').notNull(),
  /** When somebody is to be reminded next at the earliest: then all that is under way is looked at. */
  remindAt: moment('remind_at').defaultNow(),
})

export type NotificationPositionRow = typeof notificationPositions.$inferSelect

export const sealedChannelSecrets = {
  column: notificationChannels.sealedSecret,
  row: [notificationChannels.id],
  purpose: 'notification channels',
} as const satisfies SealedColumn

export const sealedFormerChannelSecrets = {
  column: notificationChannels.sealedFormerSecret,
  row: [notificationChannels.id],
  purpose: 'notification channels',
} as const satisfies SealedColumn
