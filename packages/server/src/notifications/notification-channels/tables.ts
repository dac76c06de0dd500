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
import { moment, recordColumns } from '../../platform/db/columns.ts'
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
    /** Null: it is told of the whole organization. */
    projectId: text('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<NotificationChannel['kind']>().notNull(),
    name: text('name').notNull(),
    /** Null where the address is secret, or there is none. */
    url: text('url'),
    recipients: jsonb('recipients').$type<string[]>().notNull().default([]),
    /** Whose members are told, each by their own mail; null for all other kinds. */
    teamId: text('team_id').references(() => teams.id, { onDelete: 'cascade' }),
    /** What a webhook is told in. */
    format: text('format').$type<ChannelFormat>().notNull().default('STANDARD'),
    /** None: it is told of everything. */
    events: renamedJson('events', formerEventTypes).notNull(),
    minimumSeverity: text('minimum_severity').$type<Severity>().notNull().default('INFO'),
    /** None: it is told of all environments. */
    environmentIds: jsonb('environment_ids').$type<string[]>().notNull(),
    enabled: boolean('enabled').notNull(),
    quietHours: jsonb('quiet_hours').$type<QuietPeriod[]>().notNull().default([]),
    digest: text('digest').$type<Digest>().notNull().default('NONE'),
    /** Of the two before. */
    timeZone: text('time_zone').notNull().default('UTC'),
    disabledReason: text('disabled_reason'),
    /** The first of its attempts that have failed without one that did not. */
    failingSince: moment('failing_since'),
    /** When so much had failed that the other channels were told; null where it works. */
    brokenSince: moment('broken_since'),
    createdBy: text('created_by').notNull(),

    // From here on: what the wire does not show of a channel.
    /** Whose mail it is, and nobody else's; null for a channel of the organization. */
    membershipId: text('membership_id').references(() => memberships.id, { onDelete: 'cascade' }),
    /** Of a person's mail: why they are written to. */
    topics: jsonb('topics').$type<NotificationTopic[]>().notNull().default([]),
    /** Of a person's mail: the projects that they follow; none: all. */
    projectIds: jsonb('project_ids').$type<string[]>().notNull().default([]),
    /** What happened before it was made or enabled is not told. */
    toldSince: moment('told_since').notNull(),
    /** What signs, or where or by what it is reached, as its kind has it; null for mail. */
    sealedSecret: text('sealed_secret'),
    /** The secret that signed before, and does for a while. */
    sealedFormerSecret: text('sealed_former_secret'),
    formerSecretUntil: moment('former_secret_until'),
    /** What Slack signs with what it tells of this channel; null where its messages have no buttons. */
    sealedSigningSecret: text('sealed_signing_secret'),
    /** When something is to be sent to it; null while there is nothing. */
    wakeAt: moment('wake_at'),
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
 * How far the changes of an organization were looked through of which somebody is told. Whoever makes or removes a
 * channel, or looks, locks it.
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
  /** Whether somebody has asked for the organization's events: from then on they are kept, channels or not. */
  isAskedFor: boolean('is_asked_for').notNull().default(false),
  /** The last event that was forgotten: who has not read further has missed some. */
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
