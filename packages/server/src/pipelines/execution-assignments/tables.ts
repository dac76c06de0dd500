import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import { moduleDefinitions } from '../../modules/module-definitions/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { check, index, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { environments, projects } from '../../projects/projects/tables.ts'

/** Execution environment for steps of one of these three parents, or of the whole organization if none is set. */
export const executionAssignments = pgTable(
  'execution_assignments',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Id of the parent: of one of these three, or of the organization. */
    parentId: text('parent_id').notNull(),
    projectId: text('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    environmentId: text('environment_id').references(() => environments.id, { onDelete: 'cascade' }),
    moduleDefinitionId: text('module_definition_id').references(() => moduleDefinitions.id, { onDelete: 'cascade' }),
    executionEnvironmentId: text('execution_environment_id')
      .notNull()
      .references(() => executionEnvironments.id),
  },
  (table) => [
    uniqueIndex('execution_assignments_once').on(table.organizationId, table.parentId),
    index('execution_assignments_execution_environment').on(table.executionEnvironmentId),
    check('execution_assignments_one_parent', sql`num_nonnulls(project_id, environment_id, module_definition_id) <= 1`),
  ],
)

export type ExecutionAssignmentRow = typeof executionAssignments.$inferSelect
