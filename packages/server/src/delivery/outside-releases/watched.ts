import type { DeploymentData } from '@sluice/contract'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, eq, inArray, isNotNull, isNull, ne, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Former } from '../deployments/external/adopt-finished.ts'
import { latestDeploymentId } from '../deployments/store/latest.ts'
import { type DeploymentRow, deployments } from '../deployments/store/tables.ts'

/** What an instance runs as far as we know: its last deployment, which is over. */
export type Watched = Former & Pick<DeploymentRow, 'release' | 'progress' | 'data'>

/** What is large in the data of a deployment, and tells nothing of what runs. */
const large = [
  'events',
  'deployedTaskDefinition',
  'previousTaskDefinition',
  'elbListenerState',
  'instances',
  'analysis',
]
const parts = sql.raw(`'{${large.join(',')}}'::text[]`)

/** The instances that are released to in the account, each with its last deployment, where none is under way. */
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

/** The container services in the account that an instance is to be released to, and never was. */
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

/** Those of the remote commands that there is a deployment of. */
export async function knownCommands(db: Db, organizationId: string, commandIds: string[]): Promise<Set<string>> {
  if (commandIds.length === 0) return new Set()
  const rows = await db
    .select({ id: deployments.externalDeploymentId })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), inArray(deployments.externalDeploymentId, commandIds)))
  return new Set(rows.flatMap(({ id }) => id ?? []))
}
