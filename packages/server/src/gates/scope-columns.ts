import { organizations } from '../identity/organizations/tables.ts'
import { moduleInstances } from '../modules/module-instances/tables.ts'
import { recordColumns } from '../platform/db/columns.ts'
import { text } from '../platform/db/drizzle.ts'
import { environments, projects } from '../projects/projects/tables.ts'

/**
 * Columns of every rule with a scope. The narrowest one that is set defines the scope, and its parents are set as well;
 * none is the whole organization.
 */
export const ruleColumns = {
  ...recordColumns,
  organizationId: text('organization_id')
    .notNull()
    .references(() => organizations.id, { onDelete: 'cascade' }),
  projectId: text('project_id').references(() => projects.id, { onDelete: 'cascade' }),
  environmentId: text('environment_id').references(() => environments.id, { onDelete: 'cascade' }),
  moduleInstanceId: text('module_instance_id').references(() => moduleInstances.id, { onDelete: 'cascade' }),
}
