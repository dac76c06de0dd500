import type { ArtifactKind, Provenance } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { bigint, index, integer, jsonb, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/** Where an artifact is published, as far as it takes to find it again. */
export type Place = { cloudAccountId: string; region: string; bucket: string; key: string }

/** What builds have made. A row is there once all of it is stored, and never changes. */
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
  },
  (table) => [
    // Published once, whoever builds the same at the same moment; a forced build may come to something else.
    uniqueIndex('artifacts_once').on(table.organizationId, table.contentKey, table.digest),
    index('artifacts_instance').on(table.moduleInstanceId, table.id),
    index('artifacts_run').on(table.pipelineRunId),
    // What is released is asked for where it lies.
    index('artifacts_key').on(table.organizationId, table.key),
    index('artifacts_organization').on(table.organizationId, table.id),
  ],
)

export type ArtifactRow = typeof artifacts.$inferSelect
