import type { FilesSource } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moment } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, primaryKey, text } from '../../platform/db/drizzle.ts'
import { projects } from '../../projects/projects/tables.ts'

const organizationId = () =>
  text('organization_id')
    .notNull()
    .references(() => organizations.id, { onDelete: 'cascade' })

/** Who applied the files of a project last, and which. */
export const appliedFiles = pgTable(
  'applied_files',
  {
    projectId: text('project_id')
      .primaryKey()
      .references(() => projects.id, { onDelete: 'cascade' }),
    organizationId: organizationId(),
    appliedAt: moment('applied_at').notNull(),
    /** By name, as it was then. */
    appliedBy: text('applied_by').notNull(),
    source: jsonb('source').$type<FilesSource>(),
    /** Not read any more: for the version before, which may run beside this one. */
    records: jsonb('records').$type<Record<string, string>>().notNull(),
  },
  (table) => [index('applied_files_organization').on(table.organizationId)],
)

export type AppliedFilesRow = typeof appliedFiles.$inferSelect

/** What of a project is managed by files, as whoever applied them last said; hidden where the record itself is. */
export const recordsInFiles = pgTable(
  'records_in_files',
  {
    projectId: text('project_id')
      .notNull()
      .references(() => appliedFiles.projectId, { onDelete: 'cascade' }),
    organizationId: organizationId(),
    /** No foreign key: what was removed by hand is told of. */
    recordId: text('record_id').notNull(),
    /** What the files call it: several where several documents are about it. */
    names: text('names').array().notNull(),
    /** Where it is in the project. No foreign keys: see above. */
    environmentIds: text('environment_ids').array().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.recordId] }),
    index('records_in_files_organization').on(table.organizationId, table.recordId),
  ],
)

export type RecordInFilesRow = typeof recordsInFiles.$inferSelect
