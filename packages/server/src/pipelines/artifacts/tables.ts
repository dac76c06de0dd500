import type { ArtifactKind, Provenance } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { bigint, boolean, index, integer, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/** Location at which an artifact is published. */
export type ArtifactLocation = { cloudAccountId: string; region: string; bucket: string; key: string }

/**
 * Artifacts of builds. A row is created when the artifact is completely stored; afterwards only the removal columns
 * change.
 */
export const artifacts = pgTable(
  'artifacts',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    moduleInstanceId: text('module_instance_id')
      .notNull()
      .references(() => moduleInstances.id, { onDelete: 'cascade' }),
    /** Scope of the instance, to which a caller may lack access. */
    projectId: text('project_id').notNull(),
    environmentId: text('environment_id').notNull(),
    /** Run that built it, which may be deleted before the artifact. */
    pipelineRunId: text('pipeline_run_id').notNull(),
    stepExecutionId: text('step_execution_id').notNull(),
    kind: text('kind').$type<ArtifactKind>().notNull(),
    cloudAccountId: text('cloud_account_id').notNull(),
    region: text('region').notNull(),
    /** Bucket; for an image, the host of the registry. */
    bucket: text('bucket').notNull(),
    /** Object key, or directory without a trailing slash; for an image, the repository. */
    key: text('key').notNull(),
    commit: text('commit'),
    contentKey: text('content_key').notNull(),
    digest: text('digest').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    fileCount: integer('file_count').notNull(),
    buildSeconds: integer('build_seconds').notNull(),
    /**
     * Provenance at the time of the build, because the run, step and runner may be deleted. Null for artifacts that
     * were built before this column existed.
     */
    provenance: jsonb('provenance').$type<Provenance>(),

    // Columns that change.
    /** Time of the last build that reused it or published to its location, which delays its removal. */
    takenAt: timestampColumn('taken_at'),
    /** Start of the removal. From then on it cannot be released or reused, and may be partly deleted. */
    removalBeganAt: timestampColumn('removal_began_at'),
    removedAt: timestampColumn('removed_at'),
    removalReason: text('removal_reason'),
    /** Number of consecutive failed removals; the last error and the next try are in the following columns. */
    removalFailures: integer('removal_failures').notNull().default(0),
    removalError: text('removal_error'),
    removalTryAt: timestampColumn('removal_try_at'),
  },
  (table) => [
    // An artifact is published once, even by concurrent builds; a forced build may produce a different one. A removed
    // artifact is built again with a new id.
    uniqueIndex('artifacts_once')
      .on(table.organizationId, table.contentKey, table.digest)
      .where(sql`"removed_at" is null`),
    index('artifacts_instance').on(table.moduleInstanceId, table.id),
    index('artifacts_run').on(table.pipelineRunId),
    // Lookup of released artifacts by location.
    index('artifacts_key').on(table.organizationId, table.key),
    // Also for other organizations, because several may use a bucket.
    index('artifacts_place').on(table.bucket, table.key),
    // Used by the database trigger `release_what_is_there`, which looks up the artifacts of a release.
    index('artifacts_mark').on(table.organizationId, sql`mark_of("kind", "key", "digest")`),
    index('artifacts_removal').on(table.organizationId, table.removalTryAt).where(sql`removal_try_at is not null`),
    index('artifacts_organization').on(table.organizationId, table.id),
  ],
)

export type ArtifactRow = typeof artifacts.$inferSelect

/** Retention settings of organizations; without a row, nothing is removed. */
export const artifactRetentions = pgTable(
  'artifact_retentions',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    isEnabled: boolean('is_enabled').notNull(),
    keepDays: integer('keep_days').notNull(),
    keepLatest: integer('keep_latest').notNull(),
    /** Next removal; null if there is nothing to do. */
    wakeAt: timestampColumn('wake_at'),
  },
  (table) => [
    uniqueIndex('artifact_retentions_organization').on(table.organizationId),
    index('artifact_retentions_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

export type ArtifactRetentionRow = typeof artifactRetentions.$inferSelect
