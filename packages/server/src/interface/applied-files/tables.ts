import type { FilesSource } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moment } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, text } from '../../platform/db/drizzle.ts'
import { projects } from '../../projects/projects/tables.ts'

/** What of a project is managed by files, as whoever applied them last said. */
export const appliedFiles = pgTable(
  'applied_files',
  {
    projectId: text('project_id')
      .primaryKey()
      .references(() => projects.id, { onDelete: 'cascade' }),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    appliedAt: moment('applied_at').notNull(),
    /** By name, as it was then. */
    appliedBy: text('applied_by').notNull(),
    source: jsonb('source').$type<FilesSource>(),
    /** What the files call each record, by its id. */
    records: jsonb('records').$type<Record<string, string>>().notNull(),
  },
  (table) => [index('applied_files_organization').on(table.organizationId)],
)

export type AppliedFilesRow = typeof appliedFiles.$inferSelect
