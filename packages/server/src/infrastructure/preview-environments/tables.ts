import type { PreviewEnding, PreviewStatus } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { pipelines } from '../../pipelines/pipelines/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { bigint, boolean, index, integer, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { renamedText } from '../../platform/db/renamed.ts'
import { environments, projects } from '../../projects/projects/tables.ts'

type Json = Record<string, unknown>

const organizationId = () =>
  text('organization_id')
    .notNull()
    .references(() => organizations.id, { onDelete: 'cascade' })

const projectId = () =>
  text('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' })

export const previewTemplates = pgTable(
  'preview_templates',
  {
    ...recordColumns,
    organizationId: organizationId(),
    projectId: projectId(),
    environmentId: text('environment_id')
      .notNull()
      .references(() => environments.id, { onDelete: 'cascade' }),
    /** The code source may be deleted first; the template then has no effect. */
    codeSourceId: text('code_source_id').notNull(),
    /** Patterns of target branches, and of changed paths; null means all. */
    branches: jsonb('branches').$type<string[]>(),
    paths: jsonb('paths').$type<string[]>(),
    /** The givenIds of instances to copy; null: all. */
    instances: jsonb('instances').$type<string[]>(),
    inputs: jsonb('inputs').$type<Record<string, Json>>().notNull(),
    pipelineId: text('pipeline_id').references(() => pipelines.id, { onDelete: 'set null' }),
    pipelineInputs: jsonb('pipeline_inputs').$type<Json>().notNull(),
    namePattern: text('name_pattern').notNull(),
    lifetimeHours: integer('lifetime_hours').notNull(),
    maxPerProject: integer('most_in_project').notNull(),
    allowsForks: boolean('allows_forks').notNull(),
    writtenBy: text('written_by').notNull(),
    /** Membership or service account that last wrote the template, with whose permissions it acts. Not serialized. */
    writtenById: text('written_by_id').notNull(),
  },
  (table) => [
    index('preview_templates_organization').on(table.organizationId, table.id),
    index('preview_templates_code_source').on(table.codeSourceId),
    index('preview_templates_environment').on(table.environmentId),
    index('preview_templates_pipeline').on(table.pipelineId),
  ],
)

/** Preview environments of pull requests. Closing and reopening reuses the same row. */
export const previewEnvironments = pgTable(
  'preview_environments',
  {
    ...recordColumns,
    organizationId: organizationId(),
    projectId: projectId(),
    previewTemplateId: text('preview_template_id')
      .notNull()
      .references(() => previewTemplates.id, { onDelete: 'cascade' }),
    codeSourceId: text('code_source_id').notNull(),
    givenId: text('given_id').notNull(),
    environmentId: text('environment_id').references(() => environments.id, { onDelete: 'set null' }),
    number: integer('number').notNull(),
    branch: text('branch').notNull(),
    commit: text('commit').notNull(),
    askedBy: text('asked_by').notNull(),
    isFromFork: boolean('is_from_fork').notNull(),
    status: renamedText<PreviewStatus>('status', { DESTROYING: 'TEARING_DOWN', DESTROYED: 'GONE' }).notNull(),
    message: text('message'),
    /** Why it is no longer wanted; null while it is. */
    endReason: text('ended_because').$type<PreviewEnding>(),
    expiresAt: timestampColumn('expires_at').notNull(),
    pipelineRunId: text('pipeline_run_id'),
    failedTeardowns: integer('failed_teardowns').notNull().default(0),
    retryAt: timestampColumn('retry_at'),

    // Columns below are not serialized.
    /** Commit to which the instances' inputs were set; null: none, or they must be set again. */
    begunCommit: text('begun_commit'),
    /** Instances whose destruction was requested since the last failure. */
    askedToGo: jsonb('asked_to_go').$type<string[]>().notNull().default([]),
    teardownFailedAt: timestampColumn('teardown_failed_at'),
    /** Time since when the environment exists, and how long it existed before that. */
    upSince: timestampColumn('up_since'),
    earlierUpMs: bigint('earlier_up_ms', { mode: 'number' }).notNull().default(0),
    /** Text of the pull request's comment. */
    told: text('told'),
    /** Number of consecutive failed updates of the comment, and the time of the next attempt. */
    tellFailures: integer('tell_failures').notNull().default(0),
    tellAt: timestampColumn('tell_at'),
    /** Time of the next reconciliation; null: none is scheduled. */
    wakeAt: timestampColumn('wake_at'),
  },
  (table) => [
    // Enforces one row per pull request.
    uniqueIndex('preview_environments_once').on(table.previewTemplateId, table.number),
    index('preview_environments_organization').on(table.organizationId, table.id),
    index('preview_environments_project').on(table.projectId, table.status),
    index('preview_environments_environment').on(table.environmentId),
    index('preview_environments_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

export type PreviewTemplateRow = typeof previewTemplates.$inferSelect
export type PreviewRow = typeof previewEnvironments.$inferSelect
