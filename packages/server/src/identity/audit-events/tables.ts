import type { ActorType, Channel } from '@sluice/contract'
import { recordColumns } from '../../platform/db/columns.ts'
import { bigint, index, jsonb, pgTable, primaryKey, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'

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
    /** Of what the line says, for the chain; null in what an earlier version wrote. */
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
 * Links each line to the one before it in its organization, so that one that is changed, removed or put in between
 * shows. A trigger writes it when the transaction of the line is committed; whoever writes lines may only read this.
 */
export const auditChain = pgTable(
  'audit_chain',
  {
    organizationId: text('organization_id').notNull(),
    /** Counts the lines of the organization in the order of their commits, from 1. */
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

/** The last link of each organization. The commit that adds one locks it. */
export const auditHeads = pgTable('audit_heads', {
  organizationId: text('organization_id').primaryKey(),
  sequence: bigint('sequence', { mode: 'number' }).notNull(),
  previousHash: text('previous_hash').notNull(),
  hash: text('hash').notNull(),
  /** Up to which link a signed head was exported. */
  exportedSequence: bigint('exported_sequence', { mode: 'number' }).notNull().default(0),
})
