import { and, asc, eq, sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { type DeploymentRow, deployments } from '../store/tables.ts'
import type { PastDeployment } from './release-order.ts'

type Owner = Pick<DeploymentRow, 'organizationId' | 'moduleInstanceId'>

/** Returns all deployments of an instance, oldest first, with the columns that identify their releases. */
export function readHistory(db: Db, { organizationId, moduleInstanceId }: Owner): Promise<PastDeployment[]> {
  const { id, deploymentType, status, completedAt, triggerSource, data, release } = deployments
  const { redeployOfDeploymentId, rollbackToDeploymentId } = deployments
  // Reads large columns only if the instance has external deployments.
  const hasExternal = sql`exists (select from deployments other where other.module_instance_id = ${moduleInstanceId}
    and other.status = 'SUCCESS' and other.trigger_source = 'EXTERNAL')`
  return db
    .select({
      id,
      deploymentType,
      repeats: sql<string | null>`coalesce(${rollbackToDeploymentId}, ${redeployOfDeploymentId})`,
      succeededAt: sql<Date | null>`case when ${status} = 'SUCCESS' then ${completedAt} end`.mapWith(completedAt),
      artifact: sql<string | null>`case when ${hasExternal} then case ${deploymentType}
        when 'cloud:ecs' then ${data} #>> '{deployedTaskDefinition,arn}'
        when 'cloud:lambda' then ${data} ->> 'version'
        when 'cloud:static' then ${data} ->> 'prefix'
        when 'cloud:ec2' then ${release} ->> 'definition' end end`,
      isExternal: sql<boolean>`${triggerSource} = 'EXTERNAL'`,
    })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), eq(deployments.moduleInstanceId, moduleInstanceId)))
    .orderBy(asc(id))
}
