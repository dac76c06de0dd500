import { theService } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { and, desc, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { acceptance } from './accept.ts'
import type { EndedRelease } from './ended-release.ts'
import { kindOf } from './kinds.ts'
import { finish, later } from './standing.ts'
import { insertDeployment, lockTarget, readQueue, saveStanding } from './store.ts'
import { type DeploymentRow, deployments } from './tables.ts'

/** The deployment that an instance had last. */
export type Former = Pick<
  DeploymentRow,
  'id' | 'organizationId' | 'moduleInstanceId' | 'projectId' | 'environmentId' | 'status' | 'createdAt'
>

/**
 * Makes a deployment of a release that is over already; one transaction, under the lock of the instance's queue. Only
 * where `former` is still the last deployment: what was found was told from what is new by it. Its id.
 */
export async function adoptEnded(
  db: Db,
  former: Former,
  ended: EndedRelease,
  clock: () => Date,
): Promise<string | undefined> {
  const { organizationId, moduleInstanceId, projectId, environmentId } = former
  const { release, externalDeploymentId, message, error } = ended
  return db.transaction(async (tx) => {
    const status = await lockTarget(tx, moduleInstanceId)
    if (status === undefined || status === 'DESTROYED') return undefined
    if ((await latestOf(tx, organizationId, moduleInstanceId)) !== former.id) return undefined
    const { pending, active } = await readQueue(tx, moduleInstanceId)
    if (active || pending.length > 0) return undefined
    const now = clock()
    const id = newId('dep')
    const kind = kindOf({ release })
    const beginning = kind.begin(release, { id, channel: 'SERVICE', triggeredBy: '' })
    const { triggeredBy: _, ...data } = beginning.data // who it was, the cloud does not say
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
      inputs: {},
      ...beginning,
      release,
      data: { ...data, ...ended.data, detectedVia: 'POLL', initiationType: 'EXTERNAL' } as DeploymentRow['data'],
      ...(externalDeploymentId !== undefined && { externalDeploymentId }),
      createdAt: now,
      updatedAt: now,
      wakeAt: now,
      deadlineAt: later(now, 0),
      waitingFor: 'its end to be written down', // in this very transaction
    })
    await recordChange(tx, theService(organizationId), acceptance(row))
    const started = kind.started(row, now)
    const noted = kind.note(started, error ? 'FAILED' : 'COMPLETED', now, { message })
    await saveStanding(tx, row.revision, finish(noted, error ? 'ERROR' : 'SUCCESS', now, error))
    return id
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
