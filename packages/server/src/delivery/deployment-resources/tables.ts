import type { DeploymentResource, UserFacingError } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moment } from '../../platform/db/columns.ts'
import { type AnyPgColumn, boolean, index, jsonb, pgTable, sql, text } from '../../platform/db/drizzle.ts'
import { deployments } from '../deployments/store/tables.ts'

/** What a deployment left behind, as the cloud showed it when it had ended; written once. */
export const deploymentResources = pgTable(
  'deployment_resources',
  {
    deploymentId: text('deployment_id')
      .primaryKey()
      .references(() => deployments.id, { onDelete: 'cascade' }),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Where the deployment is, which may be hidden. */
    projectId: text('project_id').notNull(),
    environmentId: text('environment_id').notNull(),
    observedAt: moment('observed_at').notNull(),
    resources: jsonb('resources').$type<DeploymentResource[]>().notNull(),
    isComplete: boolean('is_whole').notNull(),
    /** Why the cloud did not show them. */
    error: jsonb('error').$type<UserFacingError>(),
  },
  ({ resources }) => [index('deployment_resources_names').using('gin', sql`${namesOf(resources)} jsonb_path_ops`)],
)

/** The cloud's names of what is in a list of resources, as they are in the index. */
export const namesOf = (resources: AnyPgColumn) => sql`jsonb_path_query_array(${resources}, '$[*].id')`

export type DeploymentResourcesRow = typeof deploymentResources.$inferSelect
