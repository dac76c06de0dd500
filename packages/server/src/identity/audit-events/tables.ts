import type { ActorType, Channel } from '@sluice/contract'
import { recordColumns } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, sql, text } from '../../platform/db/drizzle.ts'

/**
 * Who changed what, when, by what and from where. Written in the transaction of the change itself. The database refuses
 * every change of a line, and its removal to everybody but the role that retention acts in (`retention.ts`).
 */
export const auditEvents = pgTable(
  'audit_events',
  {
    ...recordColumns,
    /** No foreign key: what was done outlives the organization that it was done in. */
    organizationId: text('organization_id').notNull(),
    actorType: text('actor_type').$type<ActorType>().notNull(),
    /** Of the membership, the service account or the pipeline run; `sluice` for the service. */
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    channel: text('channel').$type<Channel>().notNull(),
    /** `<resource>.<verb>`, such as `projects.create`. */
    action: text('action').notNull(),
    resourceType: text('resource_type').notNull(),
    resourceId: text('resource_id').notNull(),
    /** Where that is; null of what is in no project, and of what is no configuration. No foreign keys: see above. */
    projectId: text('project_id'),
    environmentId: text('environment_id'),
    /** What was asked, or came of it, without secrets. */
    details: jsonb('details').$type<Record<string, unknown>>(),
    /** What stood before in the place of what the details say. */
    before: jsonb('before').$type<Record<string, unknown>>(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    requestId: text('request_id'),
  },
  (table) => [
    index('audit_events_organization').on(table.organizationId, table.id),
    index('audit_events_resource').on(table.organizationId, table.resourceId, table.id),
    index('audit_events_actor').on(table.organizationId, table.actorId, table.id),
    index('audit_events_actor_name').on(table.organizationId, table.actorName.op('text_pattern_ops'), table.id),
    index('audit_events_created').on(table.organizationId, table.createdAt),
    index('audit_events_project')
      .on(table.organizationId, table.projectId, table.id)
      .where(sql`project_id is not null`),
    index('audit_events_action').on(table.organizationId, table.action, table.id),
  ],
)

export type AuditEventRow = typeof auditEvents.$inferSelect
