import { and, desc, eq, inArray, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { deployments } from '../deployments/store/tables.ts'

/** Where the tasks of an instance run, by its latest release. */
export type TaskService = {
  moduleInstanceId: string
  cloudAccountId: string
  region: string
  clusterArn: string
  serviceArn: string
}

/** Those of the instances that were released as container services. One query, and no documents. */
export function listTaskServices(
  db: Db,
  organizationId: string,
  instanceIds: readonly string[],
): Promise<TaskService[]> {
  const text = (name: string) => sql<string>`${deployments.release} ->> ${sql.raw(`'${name}'`)}`
  const latest = db
    .selectDistinctOn([deployments.moduleInstanceId], {
      moduleInstanceId: deployments.moduleInstanceId,
      type: text('type').as('type'),
      cloudAccountId: text('cloudAccountId').as('cloud_account_id'),
      region: text('region').as('region'),
      clusterArn: text('clusterArn').as('cluster_arn'),
      serviceArn: text('serviceArn').as('service_arn'),
    })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), inArray(deployments.moduleInstanceId, [...instanceIds])))
    .orderBy(deployments.moduleInstanceId, desc(deployments.id))
    .as('latest')
  return db
    .select({
      moduleInstanceId: latest.moduleInstanceId,
      cloudAccountId: latest.cloudAccountId,
      region: latest.region,
      clusterArn: latest.clusterArn,
      serviceArn: latest.serviceArn,
    })
    .from(latest)
    .where(eq(latest.type, 'cloud:ecs'))
}
