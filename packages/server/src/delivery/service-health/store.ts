import { findConnectionByNumber } from '../../cloud/cloud-accounts/connection.ts'
import { isServiceArn, serviceWithCluster } from '../../cloud/facts/ecs.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, eq, inArray, ne, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { latestDeploymentId } from '../deployments/store/latest.ts'
import { deployments } from '../deployments/store/tables.ts'

/** Service that runs the tasks of an instance, as its latest release names it; before the first, as its module does. */
export type TaskService = {
  moduleInstanceId: string
  cloudAccountId: string
  region: string
  clusterArn: string
  serviceArn: string
  /** Whether only the cloud knows the running version, because Sluice has not released and is not releasing one. */
  isVersionUnknown: boolean
}

/** Returns the instances that are container services. Reads no JSON documents. */
export async function listTaskServices(
  db: Db,
  organizationId: string,
  instanceIds: readonly string[],
): Promise<TaskService[]> {
  const text = (name: string) => sql<string>`${deployments.release} ->> ${sql.raw(`'${name}'`)}`
  const rows = await db
    .select({
      moduleInstanceId: moduleInstances.id,
      resourceArn: moduleInstances.resourceArn,
      type: text('type'),
      cloudAccountId: text('cloudAccountId'),
      region: text('region'),
      clusterArn: text('clusterArn'),
      serviceArn: text('serviceArn'),
      isVersionUnknown: sql<boolean>`${deployments.wakeAt} is null and not exists (select 1 from ${deployments} released
        where released.module_instance_id = ${moduleInstances.id}
        and released.organization_id = ${moduleInstances.organizationId} and released.status = 'SUCCESS')`,
    })
    .from(moduleInstances)
    .leftJoin(deployments, eq(deployments.id, latestDeploymentId))
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        inArray(moduleInstances.id, [...instanceIds]),
        ne(moduleInstances.status, 'DESTROYED'),
      ),
    )
  const services = rows.flatMap(({ type, resourceArn, ...row }) => (type === 'cloud:ecs' ? [row] : []))
  const unreleased = rows.flatMap(({ type, resourceArn, moduleInstanceId }) =>
    type === null && isServiceArn(resourceArn) ? [{ moduleInstanceId, serviceArn: resourceArn }] : [],
  )
  return [...services, ...(await placeUnreleased(db, organizationId, unreleased))]
}

/**
 * Adds the account and cluster to services that only their module names. Omits services of accounts that are not
 * connected.
 */
async function placeUnreleased(
  db: Db,
  organizationId: string,
  unreleased: { moduleInstanceId: string; serviceArn: string }[],
): Promise<TaskService[]> {
  const placed: TaskService[] = []
  for (const [number = '', services] of Map.groupBy(unreleased, ({ serviceArn }) => serviceArn.split(':')[4])) {
    const account = await findConnectionByNumber(db, organizationId, number)
    if (!account) continue
    placed.push(
      ...services.map(({ moduleInstanceId, serviceArn }) => ({
        moduleInstanceId,
        cloudAccountId: account.id,
        region: serviceArn.split(':')[3] ?? '',
        ...serviceWithCluster(serviceArn),
        isVersionUnknown: true,
      })),
    )
  }
  return placed
}
