import { type ActingRun, runAsAuthor } from '../../../identity/audit-events/author.ts'
import type { Db } from '../../../platform/db/open.ts'
import { unfinishedOfRun } from '../store/store.ts'
import { cancelDeployment } from './cancel-deployment.ts'

/** Cancels the unfinished deployments of a pipeline run. Returns the ids of the deployments that must act on it. */
export async function abandonDeployments(tx: Db, run: ActingRun, now: Date): Promise<string[]> {
  const author = runAsAuthor(run)
  const left = await unfinishedOfRun(tx, run.organizationId, run.id)
  for (const one of left) await cancelDeployment(tx, author, one, now)
  return left
}
