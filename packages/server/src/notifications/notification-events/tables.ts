import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { bigint, index, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { renamedJson, renamedText } from '../../platform/db/renamed.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { formerPayload, formerTypes } from '../former-types.ts'

/**
 * What happened in organizations that are looked through for it, in the order in which it was found. Whoever adds to
 * them holds the organization's position: so they are seen in the order of their numbers, and who has read up to a
 * number never misses a lower one.
 */
export const notificationEvents = pgTable(
  'notification_events',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    number: bigint('number', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    /** What it follows from: found again, it is the same. */
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
 * Lines of the audit log that a channel is to be told of, written by a trigger with the line itself where one asks for
 * them. Whoever tells of a line removes it from here in the same transaction: none is missed, whenever its own ended.
 */
export const auditEventsToTell = pgTable(
  'audit_events_to_tell',
  {
    id: text('id').primaryKey(),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
  },
  (table) => [index('audit_events_to_tell_organization').on(table.organizationId, table.id)],
)
