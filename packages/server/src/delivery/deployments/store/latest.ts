import { moduleInstances } from '../../../modules/module-instances/tables.ts'
import { sql } from '../../../platform/db/drizzle.ts'
import { deployments } from './tables.ts'

/** Subquery for queries of module instances: id of each instance's last deployment. Ids sort by creation time. */
export const latestDeploymentId = sql<string | null>`(select latest.id from ${deployments} latest
  where latest.module_instance_id = ${moduleInstances.id} and latest.organization_id = ${moduleInstances.organizationId}
  order by latest.id desc limit 1)`
