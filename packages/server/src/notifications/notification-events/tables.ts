import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { bigint, index, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { renamedJson, renamedText } from '../../platform/db/renamed.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { formerPayload, formerTypes } from '../former-types.ts'

/**
 * Events of organizations, numbered in the order in which they were found. Writers hold the organization's position
 * lock, so events become visible in order and readers never miss a lower number.
 */
export const notificationEvents = pgTable(
  'notification_events',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    number: bigint('number', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    /** Deterministic id, which prevents duplicates when a change is processed again. */
    eventId: text('event_id').notNull(),
    recordId: text('record_id').notNull(),
    projectId: text('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    environmentId: text('environment_id').references(() => environments.id, { onDelete: 'cascade' }),
    type: renamedText('type', formerTypes).notNull(),
    payload: renamedJson('payload', formerPayload).notNull(),
  },
  (table) => [
    uniqueIndex('notification_events_once').on(table.organizationId, table.eventId),
    index('notification_events_number').on(table.organizationId, table.number),
    index('notification_events_project').on(table.projectId, table.number, table.type),
    index('notification_events_environment').on(table.environmentId),
  ],
)

export type NotificationEventRow = typeof notificationEvents.$inferSelect

/**
 * Audit events to send to channels, written by a trigger if a channel selects the audit log. They are removed in the
 * transaction that creates the deliveries, so that none is missed.
 */
export const notifiableAuditEvents = pgTable(
  'audit_events_to_tell',
  {
    id: text('id').primaryKey(),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
  },
  (table) => [index('audit_events_to_tell_organization').on(table.organizationId, table.id)],
)
