import type { DetectionChannel } from '@sluice/contract'
import type { ExternalDeployment } from '../../../cloud/facts/ecs.ts'
import { serviceAuthor } from '../../../identity/audit-events/author.ts'
import { recordChange } from '../../../identity/audit-events/record.ts'
import { moduleInstances } from '../../../modules/module-instances/tables.ts'
import { and, desc, eq, ne, or, sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { newId } from '../../../platform/ids.ts'
import { acceptanceChange } from '../create/accept.ts'
import { findService } from '../create/target.ts'
import { later } from '../execution/state.ts'
import { insertDeployment, lockTarget, readQueue, saveState } from '../store/store.ts'
import { type DeploymentRow, deployments } from '../store/tables.ts'
import { ecs } from '../types/ecs/deployment-type.ts'
import { type FollowedRelease, followExternal } from '../types/ecs/external.ts'

/** Module instance that releases to a container service. */
export type Owner = Pick<DeploymentRow, 'organizationId' | 'moduleInstanceId' | 'projectId' | 'environmentId'> & {
  /** What its releases have in common: from the last deployment, or otherwise from the module. */
  release: FollowedRelease
  /** Time of the last deployment. */
  releasedAt?: Date
}

/**
 * Returns the module instance that releases to a container service: the one with the last deployment, or otherwise the
 * one whose module names the service.
 */
export const findOwner = async (db: Db, organizationId: string, resourceArn: string): Promise<Owner | undefined> =>
  (await findLastDeployment(db, organizationId, resourceArn)) ?? findUnreleased(db, organizationId, resourceArn)

async function findLastDeployment(db: Db, organizationId: string, resourceArn: string): Promise<Owner | undefined> {
  const [row] = await db
    .select()
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), eq(deployments.resourceArn, resourceArn)))
    .orderBy(desc(deployments.id))
    .limit(1)
  return row?.release.type === 'cloud:ecs' ? { ...row, release: row.release, releasedAt: row.createdAt } : undefined
}

/** Resolves the service again, because the values in the module's templates may have changed since it was stored. */
async function findUnreleased(db: Db, organizationId: string, resourceArn: string): Promise<Owner | undefined> {
  const [instance] = await db
    .select()
    .from(moduleInstances)
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        eq(moduleInstances.resourceArn, resourceArn),
        ne(moduleInstances.status, 'DESTROYED'),
      ),
    )
    .orderBy(desc(moduleInstances.id))
    .limit(1)
  if (!instance) return undefined
  const release = await findService(db, organizationId, instance.id)
  if (release?.serviceArn !== resourceArn) return undefined
  const { id: moduleInstanceId, projectId, environmentId } = instance
  return { organizationId, moduleInstanceId, projectId, environmentId, release }
}

/**
 * Stores which service an instance releases to, as an index for `findOwner`. Must be called after every change that may
 * affect it.
 */
export async function storeReleasedService(tx: Db, organizationId: string, moduleInstanceId: string): Promise<void> {
  const service = await findService(tx, organizationId, moduleInstanceId)
  await tx
    .update(moduleInstances)
    .set({ resourceArn: service?.serviceArn ?? null })
    .where(and(eq(moduleInstances.organizationId, organizationId), eq(moduleInstances.id, moduleInstanceId)))
}

/** Stores which services the instances of a stack release to: see `storeReleasedService`. */
export async function storeReleasedServicesOfStack(tx: Db, organizationId: string, stackId: string): Promise<void> {
  const instances = await tx
    .select({ id: moduleInstances.id })
    .from(moduleInstances)
    .where(and(eq(moduleInstances.organizationId, organizationId), eq(moduleInstances.stackId, stackId)))
  for (const { id } of instances) await storeReleasedService(tx, organizationId, id)
}

/** Reports whether a deployment for this release exists: one that Sluice started or reverted, or an external one. */
export async function isKnownRelease(
  db: Db,
  organizationId: string,
  resourceArn: string,
  externalDeploymentId: string,
): Promise<boolean> {
  const rows = await db
    .select({ id: deployments.id })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        eq(deployments.resourceArn, resourceArn),
        or(
          eq(deployments.externalDeploymentId, externalDeploymentId),
          eq(sql`${deployments.data} ->> 'revertExternalDeploymentId'`, externalDeploymentId),
        ),
      ),
    )
    .limit(1)
  return rows.length > 0
}

/**
 * Maximum duration of an external deployment, in milliseconds. The cloud ends it after 30 days; Sluice does not stop it
 * earlier, because it did not start it.
 */
const maxExternalMs = 30 * 86_400_000

export type Adoption = { deploymentId: string } | 'known' | 'busy' | 'gone'

/**
 * Creates a deployment that follows an external deployment, in one transaction under the lock of the instance's queue.
 * Returns `busy` if another deployment of the instance is active.
 */
export async function adoptRelease(
  db: Db,
  owner: Owner,
  found: ExternalDeployment,
  { cloudAccountId, detectedVia }: { cloudAccountId: string; detectedVia: DetectionChannel },
  clock: () => Date,
): Promise<Adoption> {
  const { organizationId, moduleInstanceId, projectId, environmentId, release } = owner
  const { externalDeploymentId } = found
  return db.transaction(async (tx) => {
    const target = await lockTarget(tx, moduleInstanceId)
    if (!target || target.status === 'DESTROYED') return 'gone'
    if (await isKnownRelease(tx, organizationId, release.serviceArn, externalDeploymentId)) return 'known'
    if ((await readQueue(tx, moduleInstanceId)).active) return 'busy'
    const now = clock()
    const id = newId('dep')
    const row = await insertDeployment(tx, {
      id,
      organizationId,
      moduleInstanceId,
      projectId,
      environmentId,
      description: 'Released outside Sluice.',
      status: 'PENDING',
      deploymentType: release.type,
      triggerSource: 'EXTERNAL',
      externalDeploymentId,
      inputs: {},
      ...followExternal(release, found, { cloudAccountId, id, detectedVia }),
      createdAt: now,
      updatedAt: now,
      wakeAt: now,
      deadlineAt: later(now, maxExternalMs),
      waitingFor: 'the cloud to execute the release',
    })
    await recordChange(
      tx,
      serviceAuthor(organizationId, detectedVia === 'POLL' ? 'SERVICE' : 'CLOUD_EVENT'),
      acceptanceChange(row),
    )
    const started = ecs.start(row as Parameters<typeof ecs.start>[0], now)
    await saveState(tx, row, { ...started, deadlineAt: later(now, maxExternalMs) })
    return { deploymentId: id }
  })
}
