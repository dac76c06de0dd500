import type {
  ChannelFormat,
  Digest,
  NotificationChannel,
  NotificationTopic,
  QuietPeriod,
  Severity,
} from '@sluice/contract'
import { memberships, organizations } from '../../identity/organizations/tables.ts'
import { teams } from '../../identity/teams/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { bigint, boolean, index, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { renamedJson } from '../../platform/db/renamed.ts'
import { projects } from '../../projects/projects/tables.ts'
import { formerEventTypes } from '../former-types.ts'

export const notificationChannels = pgTable(
  'notification_channels',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Null: all projects of the organization. */
    projectId: text('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<NotificationChannel['kind']>().notNull(),
    name: text('name').notNull(),
    /** Null if the address is secret or absent. */
    url: text('url'),
    recipients: jsonb('recipients').$type<string[]>().notNull().default([]),
    /** Team whose members get mail; null for other channel types. */
    teamId: text('team_id').references(() => teams.id, { onDelete: 'cascade' }),
    /** Payload format of a webhook. */
    format: text('format').$type<ChannelFormat>().notNull().default('STANDARD'),
    /** Selected event types; empty means all. */
    events: renamedJson('events', formerEventTypes).notNull(),
    minimumSeverity: text('minimum_severity').$type<Severity>().notNull().default('INFO'),
    /** Selected environments; empty means all. */
    environmentIds: jsonb('environment_ids').$type<string[]>().notNull(),
    enabled: boolean('enabled').notNull(),
    quietHours: jsonb('quiet_hours').$type<QuietPeriod[]>().notNull().default([]),
    digest: text('digest').$type<Digest>().notNull().default('NONE'),
    /** Time zone of quiet hours and digest. */
    timeZone: text('time_zone').notNull().default('UTC'),
    disabledReason: text('disabled_reason'),
    /** Time of the first failure since the last success. */
    failingSince: timestampColumn('failing_since'),
    /** Time at which the channel counted as broken and the others were notified; null while it works. */
    brokenSince: timestampColumn('broken_since'),
    createdBy: text('created_by').notNull(),

    // Columns below are not serialized for a channel.
    /** Owner of personal mail settings; null for a channel of the organization. */
    membershipId: text('membership_id').references(() => memberships.id, { onDelete: 'cascade' }),
    /** For personal mail: selected topics. */
    topics: jsonb('topics').$type<NotificationTopic[]>().notNull().default([]),
    /** For personal mail: followed projects; empty: all. */
    projectIds: jsonb('project_ids').$type<string[]>().notNull().default([]),
    /** Earlier events are not sent. */
    toldSince: timestampColumn('told_since').notNull(),
    /** Encrypted signing secret, secret URL or routing key, by type; null for mail. */
    sealedSecret: text('sealed_secret'),
    /** Encrypted previous signing secret, which remains valid for a while. */
    sealedFormerSecret: text('sealed_former_secret'),
    formerSecretUntil: timestampColumn('former_secret_until'),
    /** Encrypted signing secret of the Slack app; null if messages have no buttons. */
    sealedSigningSecret: text('sealed_signing_secret'),
    /** Time of the next delivery; null if none is pending. */
    wakeAt: timestampColumn('wake_at'),
  },
  (table) => [
    index('notification_channels_organization').on(table.organizationId, table.id),
    index('notification_channels_wake').on(table.wakeAt).where(sql`wake_at is not null`),
    index('notification_channels_team').on(table.teamId).where(sql`team_id is not null`),
    uniqueIndex('notification_channels_membership').on(table.membershipId).where(sql`membership_id is not null`),
  ],
)

export type NotificationChannelRow = typeof notificationChannels.$inferSelect

/**
 * How far an organization's changes were processed. Creating or deleting channels and processing changes lock this row.
 */
export const notificationPositions = pgTable('notification_positions', {
  organizationId: text('organization_id')
    .primaryKey()
    .references(() => organizations.id, { onDelete: 'cascade' }),
  /** Changes of transactions with lower numbers were processed. */
  transactionId: bigint('transaction_id', { mode: 'bigint' }).notNull(),
  /** Time of processing, by the database's clock. */
  readAt: timestampColumn('read_at').notNull(),
  /** Earliest time of the next reminder, when everything in progress is processed again. */
  remindAt: timestampColumn('remind_at').defaultNow(),
  /** Whether a client has read the event API, so that events are recorded without channels as well. */
  isAskedFor: boolean('is_asked_for').notNull().default(false),
  /** Number of the last expired event. Readers at an earlier position have missed some. */
  forgottenNumber: bigint('forgotten_number', { mode: 'number' }).notNull().default(0),
})

export type NotificationPositionRow = typeof notificationPositions.$inferSelect

export const sealedChannelSecrets = {
  column: notificationChannels.sealedSecret,
  row: [notificationChannels.id],
  purpose: 'notification channels',
} as const satisfies SealedColumn

export const sealedSigningSecrets = {
  column: notificationChannels.sealedSigningSecret,
  row: [notificationChannels.id],
  purpose: 'notification channels',
} as const satisfies SealedColumn

export const sealedFormerChannelSecrets = {
  column: notificationChannels.sealedFormerSecret,
  row: [notificationChannels.id],
  purpose: 'notification channels',
} as const satisfies SealedColumn
