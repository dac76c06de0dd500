import type { Visibility } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { boolean, integer, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'

export const projects = pgTable(
  'projects',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    givenId: text('given_id').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    /** Whether roles of the organization do not count here. */
    restricted: boolean('restricted').notNull().default(false),
    visibility: text('visibility').$type<Visibility>().notNull().default('ORGANIZATION'),
  },
  (table) => [uniqueIndex('projects_organization_given_id').on(table.organizationId, table.givenId)],
)

export const environments = pgTable(
  'environments',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    givenId: text('given_id').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    /** Whether roles of the organization and the project do not count here. */
    restricted: boolean('restricted').notNull().default(false),
    /** Position among the environments of the project; null to come last, by age. */
    position: integer('position'),
    visibility: text('visibility').$type<Visibility>().notNull().default('ORGANIZATION'),
    /** Id of the preview environment of a pull request, which belongs to a higher layer. */
    previewEnvironmentId: text('preview_environment_id'),
  },
  (table) => [uniqueIndex('environments_project_given_id').on(table.projectId, table.givenId)],
)

export type ProjectRow = typeof projects.$inferSelect
export type EnvironmentRow = typeof environments.$inferSelect
