import type { UserFacingError } from '@sluice/contract'
import { hasGates } from '../../../gates/load.ts'
import { moduleInstances } from '../../../modules/module-instances/tables.ts'
import { and, asc, eq, ne, type SQL, sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { environments } from '../../../projects/projects/tables.ts'
import { type DeploymentRow, deployments } from '../store/tables.ts'
import { resourceTaken } from './failures.ts'

type Candidate = Pick<DeploymentRow, 'organizationId' | 'deploymentType' | 'resourceArn' | 'resourceName' | 'release'>

/**
 * Returns why a deployment may not start: another module instance was the first to release its resource, so that a
 * start would bypass the release gates of that instance. Returns undefined if it may start, and always if the
 * organization has no gates.
 */
export async function findOtherOwner(tx: Db, row: DeploymentRow): Promise<UserFacingError | undefined> {
  const owner = await findResourceOwner(tx, row)
  if (!owner || owner.id === row.moduleInstanceId) return undefined
  return resourceTaken(row.resourceArn ?? row.resourceName ?? row.moduleInstanceId, owner)
}

/** Returns the existing module instance that was the first to release a resource successfully. */
async function findResourceOwner(
  tx: Db,
  row: Candidate,
): Promise<{ id: string; givenId: string; isHidden: boolean } | undefined> {
  const { id, givenId } = moduleInstances
  const [owner] = await tx
    .select({ id, givenId, isHidden: environments.restricted })
    .from(deployments)
    .innerJoin(moduleInstances, eq(moduleInstances.id, deployments.moduleInstanceId))
    .innerJoin(environments, eq(environments.id, moduleInstances.environmentId))
    .where(
      and(
        eq(deployments.organizationId, row.organizationId),
        hasGates(deployments.organizationId, 'START'),
        eq(deployments.status, 'SUCCESS'),
        ne(moduleInstances.status, 'DESTROYED'),
        isSameResource(row),
      ),
    )
    .orderBy(asc(deployments.id))
    .limit(1)
  return owner
}

/** Aliases of a function are released separately. The ARN of a group is unknown until the cloud was read. */
function isSameResource({ deploymentType, resourceArn, resourceName, release }: Candidate): SQL | undefined {
  if (release.type === 'cloud:ec2') {
    return and(
      eq(deployments.deploymentType, deploymentType),
      sql`${deployments.resourceName} = ${resourceName}`,
      sql`${deployments.release} ->> 'region' = ${release.region}`,
      sql`${deployments.release} ->> 'cloudAccountId' = ${release.cloudAccountId}`,
    )
  }
  const isResource = sql`${deployments.resourceArn} = ${resourceArn}`
  if (release.type !== 'cloud:lambda') return isResource
  return and(isResource, sql`${deployments.release} ->> 'aliasName' = ${release.aliasName}`)
}
