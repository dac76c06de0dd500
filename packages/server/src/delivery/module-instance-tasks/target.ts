import type { DeploymentData } from '@sluice/contract'
import type { CloudAccount } from '../../cloud/adapter/access.ts'
import { findCloudConnection, findConnectionByNumber } from '../../cloud/cloud-accounts/connection.ts'
import type { ServiceInEnvironment } from '../../cloud/facts/ecs.ts'
import type { FunctionPlace } from '../../cloud/facts/lambda.ts'
import { NotConnected } from '../../cloud/observations/observation-errors.ts'
import { findModuleInstance } from '../../modules/module-instances/store.ts'
import { and, desc, eq, inArray, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { missing } from '../../platform/http/references.ts'
import { findService } from '../deployments/create/target.ts'
import { deployments } from '../deployments/store/tables.ts'
import type { Release } from '../deployments/types/release.ts'

/** Location of an instance's tasks, by the target of its releases. */
export type TaskPlace =
  | ({ type: 'cloud:ecs' } & ServiceInEnvironment)
  | { type: 'cloud:ec2'; groupName: string }
  | ({ type: 'cloud:lambda' } & FunctionPlace)
  | { type: 'cloud:static'; keyValueStoreArn: string }

export type TaskTarget = { place: TaskPlace; region: string; account: CloudAccount }

/** Returns the location of an instance's tasks; undefined if it is not known yet. */
export async function findTaskTarget(
  db: Db,
  organizationId: string,
  instanceId: string,
): Promise<TaskTarget | undefined> {
  if (!(await findModuleInstance(db, organizationId, instanceId))) {
    throw missing('moduleInstanceNotFound', 'module instance', instanceId)
  }
  const release = await latestRelease(db, organizationId, instanceId)
  if (release) {
    const account = await findCloudConnection(db, organizationId, release.cloudAccountId)
    return { place: placeOf(release), region: release.region, account: connected(account, release.cloudAccountId) }
  }
  // Before its first release, a service is known from its module.
  const service = await findService(db, organizationId, instanceId)
  if (!service) return undefined
  const { clusterArn, serviceArn, region } = service
  const number = serviceArn.split(':').at(4) ?? ''
  const account = await findConnectionByNumber(db, organizationId, number)
  return { place: { type: 'cloud:ecs', clusterArn, serviceArn }, region, account: connected(account, number) }
}

function connected(account: CloudAccount | undefined, named: string): CloudAccount {
  if (account) return account
  throw new NotConnected(named)
}

async function latestRelease(db: Db, organizationId: string, moduleInstanceId: string): Promise<Release | undefined> {
  const [row] = await db
    .select({ release: deployments.release })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), eq(deployments.moduleInstanceId, moduleInstanceId)))
    .orderBy(desc(deployments.id))
    .limit(1)
  return row?.release
}

function placeOf(release: Release): TaskPlace {
  switch (release.type) {
    case 'cloud:ecs':
      return { type: release.type, clusterArn: release.clusterArn, serviceArn: release.serviceArn }
    case 'cloud:ec2':
      return { type: release.type, groupName: release.autoScalingGroupName }
    case 'cloud:lambda':
      return { type: release.type, functionArn: release.functionArn, aliasName: release.aliasName }
    case 'cloud:static':
      return { type: release.type, keyValueStoreArn: release.keyValueStoreArn }
  }
}

/** Returns the deployments of an instance by the cloud's ids. */
export async function deploymentsCalled(
  db: Db,
  organizationId: string,
  moduleInstanceId: string,
  externalIds: readonly string[],
): Promise<Map<string, string>> {
  if (externalIds.length === 0) return new Map()
  const rows = await db
    .select({ id: deployments.id, externalId: deployments.externalDeploymentId })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        eq(deployments.moduleInstanceId, moduleInstanceId),
        inArray(deployments.externalDeploymentId, [...new Set(externalIds)]),
      ),
    )
    .orderBy(deployments.id)
  return new Map(rows.flatMap(({ id, externalId }) => (externalId === null ? [] : [[externalId, id]])))
}

/** Returns the last successful deployment. */
export async function latestSuccess(
  db: Db,
  organizationId: string,
  moduleInstanceId: string,
): Promise<{ id: string; data: DeploymentData; completedAt: Date | null } | undefined> {
  const [row] = await db
    .select({
      id: deployments.id,
      data: sql<DeploymentData>`${deployments.data} - '{events,analysis,instances}'::text[]`,
      completedAt: deployments.completedAt,
    })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        eq(deployments.moduleInstanceId, moduleInstanceId),
        eq(deployments.status, 'SUCCESS'),
      ),
    )
    .orderBy(desc(deployments.completedAt))
    .limit(1)
  return row
}
