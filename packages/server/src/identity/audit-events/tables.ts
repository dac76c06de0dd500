import type { PrincipalType } from '@sluice/contract'
import { recordColumns } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, text } from '../../platform/db/drizzle.ts'
import { organizations } from '../organizations/tables.ts'

/** Who changed what, when and from where. Written in the transaction of the change itself; never changed. */
export const auditEvents = pgTable(
  'audit_events',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    actorType: text('actor_type').$type<PrincipalType>().notNull(),
    /** Of the membership or the service account. */
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    /** `<resource>.<verb>`, such as `projects.create`. */
    action: text('action').notNull(),
    resourceType: text('resource_type').notNull(),
    resourceId: text('resource_id').notNull(),
    /** The fields that were sent, without secrets. */
    details: jsonb('details').$type<Record<string, unknown>>(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    requestId: text('request_id'),
  },
  (table) => [
    index('audit_events_organization').on(table.organizationId, table.id),
    index('audit_events_resource').on(table.organizationId, table.resourceId, table.id),
    index('audit_events_actor').on(table.organizationId, table.actorId, table.id),
    index('audit_events_action').on(table.organizationId, table.action, table.id),
  ],
)

export type AuditEventRow = typeof auditEvents.$inferSelect
