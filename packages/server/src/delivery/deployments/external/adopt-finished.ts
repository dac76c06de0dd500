import { serviceAuthor } from '../../../identity/audit-events/author.ts'
import { and, desc, eq } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { lockTarget, readQueue } from '../store/store.ts'
import { type DeploymentRow, deployments } from '../store/tables.ts'
import type { FinishedRelease } from './finished-release.ts'
import { type DeploymentPlace, insertFinished } from './insert-finished.ts'

/** Last known deployment of an instance. */
export type LastDeployment = DeploymentPlace & Pick<DeploymentRow, 'id' | 'status' | 'createdAt'>

/**
 * Creates a deployment for an external deployment that has ended, in one transaction under the lock of the instance's
 * queue. Does so only if `former` still is the last deployment, because the external one was detected by comparing with
 * it. Returns the new id.
 */
export async function adoptFinished(
  db: Db,
  former: LastDeployment,
  ended: FinishedRelease,
  clock: () => Date,
): Promise<string | undefined> {
  const { organizationId, moduleInstanceId, projectId, environmentId } = former
  return db.transaction(async (tx) => {
    const target = await lockTarget(tx, moduleInstanceId)
    if (!target || target.status === 'DESTROYED') return undefined
    if ((await latestOf(tx, organizationId, moduleInstanceId)) !== former.id) return undefined
    const { pending, active } = await readQueue(tx, moduleInstanceId)
    if (active || pending.length > 0) return undefined
    const place = { organizationId, moduleInstanceId, projectId, environmentId }
    const wish = { place, description: 'Released outside Sluice.', ended, now: clock() }
    return insertFinished(tx, serviceAuthor(organizationId), wish)
  })
}

async function latestOf(tx: Db, organizationId: string, moduleInstanceId: string): Promise<string | undefined> {
  const [row] = await tx
    .select({ id: deployments.id })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), eq(deployments.moduleInstanceId, moduleInstanceId)))
    .orderBy(desc(deployments.id))
    .limit(1)
  return row?.id
}
