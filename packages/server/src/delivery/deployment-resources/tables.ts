import type { DeploymentResource, UserFacingError } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { timestampColumn } from '../../platform/db/columns.ts'
import { type AnyPgColumn, boolean, index, jsonb, pgTable, sql, text } from '../../platform/db/drizzle.ts'
import { deployments } from '../deployments/store/tables.ts'

/** Resources of a deployment, as observed when it had ended; written once. */
export const deploymentResources = pgTable(
  'deployment_resources',
  {
    deploymentId: text('deployment_id')
      .primaryKey()
      .references(() => deployments.id, { onDelete: 'cascade' }),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Scope of the deployment, to which a caller may lack access. */
    projectId: text('project_id').notNull(),
    environmentId: text('environment_id').notNull(),
    observedAt: timestampColumn('observed_at').notNull(),
    resources: jsonb('resources').$type<DeploymentResource[]>().notNull(),
    isComplete: boolean('is_whole').notNull(),
    /** Reason why the cloud could not be read. */
    error: jsonb('error').$type<UserFacingError>(),
  },
  ({ resources }) => [index('deployment_resources_names').using('gin', sql`${namesOf(resources)} jsonb_path_ops`)],
)

/** SQL expression for the cloud's ids in a list of resources, as in the index. */
export const namesOf = (resources: AnyPgColumn) => sql`jsonb_path_query_array(${resources}, '$[*].id')`

export type DeploymentResourcesRow = typeof deploymentResources.$inferSelect
