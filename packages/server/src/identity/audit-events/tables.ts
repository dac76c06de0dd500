import type { ActorType, Channel } from '@sluice/contract'
import { recordColumns } from '../../platform/db/columns.ts'
import { bigint, index, jsonb, pgTable, primaryKey, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/**
 * Audit log, written in the transactions of the changes. The database rejects updates, and deletes by any role but that
 * of retention (`retention.ts`).
 */
export const auditEvents = pgTable(
  'audit_events',
  {
    ...recordColumns,
    /** No foreign key, because the log outlives the organization. */
    organizationId: text('organization_id').notNull(),
    actorType: text('actor_type').$type<ActorType>().notNull(),
    /** Id of the membership, service account or pipeline run; `sluice` for the service itself. */
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    channel: text('channel').$type<Channel>().notNull(),
    /** Action in the form `<resource>.<verb>`, such as `projects.create`. */
    action: text('action').notNull(),
    resourceType: text('resource_type').notNull(),
    resourceId: text('resource_id').notNull(),
    /** Project and environment of a configuration change; otherwise null. No foreign keys, as above. */
    projectId: text('project_id'),
    environmentId: text('environment_id'),
    /** Requested values or results, without secrets. */
    details: jsonb('details').$type<Record<string, unknown>>(),
    /** Previous values of the fields in `details`. */
    before: jsonb('before').$type<Record<string, unknown>>(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    requestId: text('request_id'),
    /** Hash of the content, for the chain; null in events of earlier versions. */
    contentHash: text('content_hash'),
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

/**
 * Links each event to the previous one of its organization, so that manipulation is detectable. A trigger writes it at
 * commit; writers of events can only read it.
 */
export const auditChain = pgTable(
  'audit_chain',
  {
    organizationId: text('organization_id').notNull(),
    /** Number of the event within the organization, from 1, in commit order. */
    sequence: bigint('sequence', { mode: 'number' }).notNull(),
    auditEventId: text('audit_event_id').notNull(),
    previousHash: text('previous_hash').notNull(),
    hash: text('hash').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.sequence] }),
    uniqueIndex('audit_chain_event').on(table.auditEventId),
  ],
)

/** Last link of each organization. A commit that adds a link locks its row. */
export const auditHeads = pgTable('audit_heads', {
  organizationId: text('organization_id').primaryKey(),
  sequence: bigint('sequence', { mode: 'number' }).notNull(),
  previousHash: text('previous_hash').notNull(),
  hash: text('hash').notNull(),
  /** Last link whose signed head was exported. */
  exportedSequence: bigint('exported_sequence', { mode: 'number' }).notNull().default(0),
})
