import type { ArtifactKind, Provenance } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { bigint, boolean, index, integer, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/** Where an artifact is published, as far as it takes to find it again. */
export type Place = { cloudAccountId: string; region: string; bucket: string; key: string }

/** What builds have made. A row is there once all of it is stored; nothing of it changes but what becomes of it. */
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
    /** Where the instance is, which may be hidden. */
    projectId: text('project_id').notNull(),
    environmentId: text('environment_id').notNull(),
    /** Who made it; an artifact outlives its run. */
    pipelineRunId: text('pipeline_run_id').notNull(),
    stepExecutionId: text('step_execution_id').notNull(),
    kind: text('kind').$type<ArtifactKind>().notNull(),
    cloudAccountId: text('cloud_account_id').notNull(),
    region: text('region').notNull(),
    /** The bucket; of an image the host of the registry. */
    bucket: text('bucket').notNull(),
    /** The object, or the directory without a slash at its end; of an image the repository. */
    key: text('key').notNull(),
    commit: text('commit'),
    contentKey: text('content_key').notNull(),
    digest: text('digest').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    fileCount: integer('file_count').notNull(),
    buildSeconds: integer('build_seconds').notNull(),
    /** As it was when it was built: the run, its step and the runner may be gone. Null of what is older than this. */
    provenance: jsonb('provenance').$type<Provenance>(),

    // What becomes of it.
    /** When a build last took it, or published to where it is: no removal begins soon after. */
    takenAt: moment('taken_at'),
    /** From then on it is not released, nor taken by a build; parts of it may be gone. */
    removalBeganAt: moment('removal_began_at'),
    removedAt: moment('removed_at'),
    removalReason: text('removal_reason'),
    /** How often in a row the cloud did not let it be removed, why the last time, and when it is tried again. */
    removalFailures: integer('removal_failures').notNull().default(0),
    removalError: text('removal_error'),
    removalTryAt: moment('removal_try_at'),
  },
  (table) => [
    // Published once, whoever builds the same at the same moment; a forced build may come to something else.
    // What was removed is built again under an id of its own.
    uniqueIndex('artifacts_once')
      .on(table.organizationId, table.contentKey, table.digest)
      .where(sql`"removed_at" is null`),
    index('artifacts_instance').on(table.moduleInstanceId, table.id),
    index('artifacts_run').on(table.pipelineRunId),
    // What is released is asked for where it lies.
    index('artifacts_key').on(table.organizationId, table.key),
    // By others as well: a bucket may be used by several organizations.
    index('artifacts_place').on(table.bucket, table.key),
    // Which artifacts a release names is asked by the database itself: `release_what_is_there`.
    index('artifacts_mark').on(table.organizationId, sql`mark_of("kind", "key", "digest")`),
    index('artifacts_removal').on(table.organizationId, table.removalTryAt).where(sql`removal_try_at is not null`),
    index('artifacts_organization').on(table.organizationId, table.id),
  ],
)

export type ArtifactRow = typeof artifacts.$inferSelect

/** What an organization has become of artifacts that nothing needs any more; without a row, they stay. */
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
    /** When its artifacts are looked through next; null where there is nothing to do. */
    wakeAt: moment('wake_at'),
  },
  (table) => [
    uniqueIndex('artifact_retentions_organization').on(table.organizationId),
    index('artifact_retentions_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

export type ArtifactRetentionRow = typeof artifactRetentions.$inferSelect
