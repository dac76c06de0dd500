import { type ActingRun, type Author, runAsAuthor } from '../../../identity/audit-events/author.ts'
import type { Db } from '../../../platform/db/open.ts'
import { unfinishedOfRun } from '../store/store.ts'
import { typeOf } from '../types/deployment-types.ts'
import { decide } from './decide.ts'
import { cancelledBy } from './failures.ts'

/** Cancels a deployment for its author, for example a pipeline run; does nothing if it is final or being cancelled. */
export async function cancelDeployment(db: Db, author: Author, id: string, now: Date): Promise<void> {
  await decide(db, { author, action: 'deployments.cancel' }, id, (deployment) => {
    const next = typeOf(deployment).cancel(deployment, now, cancelledBy(author.actorName))
    return next && next !== deployment ? { outcome: 'cancelled', deployment: next } : { outcome: 'nothing' }
  })
}

/** Cancels the unfinished deployments of a pipeline run. Returns the ids of the deployments that must act on it. */
export async function cancelDeploymentsOf(tx: Db, run: ActingRun, now: Date): Promise<string[]> {
  const author = runAsAuthor(run)
  const ids = await unfinishedOfRun(tx, run.organizationId, run.id)
  for (const id of ids) await cancelDeployment(tx, author, id, now)
  return ids
}
