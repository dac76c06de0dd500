import type { DeploymentData } from '@sluice/contract'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, eq, inArray, isNotNull, isNull, ne, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { LastDeployment } from '../deployments/external/adopt-finished.ts'
import { latestDeploymentId } from '../deployments/store/latest.ts'
import { type DeploymentRow, deployments } from '../deployments/store/tables.ts'

/** Last deployment of an instance, which has ended. */
export type Watched = LastDeployment & Pick<DeploymentRow, 'release' | 'progress' | 'data'>

/** Large parts of a deployment's data, which say nothing about the running release. */
const large = [
  'events',
  'deployedTaskDefinition',
  'previousTaskDefinition',
  'elbListenerState',
  'instances',
  'analysis',
]
const parts = sql.raw(`'{${large.join(',')}}'::text[]`)

/**
 * Returns the instances with deployments to the account, each with its last one, except those with an unfinished one.
 */
export function listWatched(db: Db, organizationId: string, cloudAccountId: string): Promise<Watched[]> {
  return db
    .select({
      id: deployments.id,
      organizationId: deployments.organizationId,
      moduleInstanceId: deployments.moduleInstanceId,
      projectId: deployments.projectId,
      environmentId: deployments.environmentId,
      status: deployments.status,
      createdAt: deployments.createdAt,
      release: deployments.release,
      progress: deployments.progress,
      data: sql<DeploymentData>`${deployments.data} - ${parts}`,
    })
    .from(moduleInstances)
    .innerJoin(deployments, eq(deployments.id, latestDeploymentId))
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        ne(moduleInstances.status, 'DESTROYED'),
        eq(sql`${deployments.release} ->> 'cloudAccountId'`, cloudAccountId),
        isNull(deployments.wakeAt),
      ),
    )
}

/**
 * Returns the container services in the account that an instance releases to according to its module, without any
 * deployment yet.
 */
export async function listUnreleased(db: Db, organizationId: string, cloudId: string): Promise<string[]> {
  const rows = await db
    .select({ resourceArn: moduleInstances.resourceArn })
    .from(moduleInstances)
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        ne(moduleInstances.status, 'DESTROYED'),
        isNotNull(moduleInstances.resourceArn),
        eq(sql`split_part(${moduleInstances.resourceArn}, ':', 5)`, cloudId),
        isNull(latestDeploymentId),
      ),
    )
  return rows.flatMap(({ resourceArn }) => resourceArn ?? [])
}

/** Returns the ids of remote commands that have a deployment. */
export async function knownCommands(db: Db, organizationId: string, commandIds: string[]): Promise<Set<string>> {
  if (commandIds.length === 0) return new Set()
  const rows = await db
    .select({ id: deployments.externalDeploymentId })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), inArray(deployments.externalDeploymentId, commandIds)))
  return new Set(rows.flatMap(({ id }) => id ?? []))
}
