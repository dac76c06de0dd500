import { moduleInstances } from '../../../modules/module-instances/tables.ts'
import { sql } from '../../../platform/db/drizzle.ts'
import { deployments } from './tables.ts'

/**
 * In a query over module instances: the id of the deployment that each had last. Ids sort by the time they were made.
 */
export const latestDeploymentId = sql<string | null>`(select latest.id from ${deployments} latest
  where latest.module_instance_id = ${moduleInstances.id} and latest.organization_id = ${moduleInstances.organizationId}
  order by latest.id desc limit 1)`
