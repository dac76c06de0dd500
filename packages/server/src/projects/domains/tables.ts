import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { index, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { environments, projects } from '../projects/tables.ts'

/** Domain names of environments. */
export const domains = pgTable(
  'domains',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    environmentId: text('environment_id')
      .notNull()
      .references(() => environments.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    description: text('description'),
  },
  (table) => [
    uniqueIndex('domains_organization_name').on(table.organizationId, table.name),
    index('domains_environment').on(table.environmentId),
    index('domains_project').on(table.projectId),
  ],
)

export type DomainRow = typeof domains.$inferSelect
