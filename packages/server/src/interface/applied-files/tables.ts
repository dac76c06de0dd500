import type { FilesSource } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { timestampColumn } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, primaryKey, text } from '../../platform/db/drizzle.ts'
import { projects } from '../../projects/projects/tables.ts'

const organizationId = () =>
  text('organization_id')
    .notNull()
    .references(() => organizations.id, { onDelete: 'cascade' })

/** Last application of a project's files: the actor, the time and the files. */
export const appliedFiles = pgTable(
  'applied_files',
  {
    projectId: text('project_id')
      .primaryKey()
      .references(() => projects.id, { onDelete: 'cascade' }),
    organizationId: organizationId(),
    appliedAt: timestampColumn('applied_at').notNull(),
    /** Name of the actor at that time. */
    appliedBy: text('applied_by').notNull(),
    source: jsonb('source').$type<FilesSource>(),
    /** Written only for the previous version, which may run at the same time. */
    records: jsonb('records').$type<Record<string, string>>().notNull(),
  },
  (table) => [index('applied_files_organization').on(table.organizationId)],
)

export type AppliedFilesRow = typeof appliedFiles.$inferSelect

/** Records of a project that files manage, as of the last application. Hidden together with the record. */
export const recordsInFiles = pgTable(
  'records_in_files',
  {
    projectId: text('project_id')
      .notNull()
      .references(() => appliedFiles.projectId, { onDelete: 'cascade' }),
    organizationId: organizationId(),
    /** No foreign key, because a manually deleted record is reported. */
    recordId: text('record_id').notNull(),
    /** Names in the files; several if several documents describe it. */
    names: text('names').array().notNull(),
    /** Environments of the record. No foreign keys: see above. */
    environmentIds: text('environment_ids').array().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.recordId] }),
    index('records_in_files_organization').on(table.organizationId, table.recordId),
  ],
)

export type RecordInFilesRow = typeof recordsInFiles.$inferSelect
