import type { Db } from '../../platform/db/open.ts'
import { decide } from './decide.ts'
import { cancelledBy } from './failures.ts'
import { kindOf } from './kinds.ts'
import { unfinishedOfRun } from './store.ts'

/** Cancels what a pipeline run has left unfinished; the ids of the deployments that are to act on it. */
export async function abandonDeployments(
  tx: Db,
  { organizationId, id }: { organizationId: string; id: string },
  now: Date,
): Promise<string[]> {
  const left = await unfinishedOfRun(tx, organizationId, id)
  for (const one of left) {
    await decide(tx, organizationId, one, (standing) => {
      const next = kindOf(standing).cancelled(standing, now, cancelledBy())
      return next && next !== standing ? { outcome: 'cancelled', standing: next } : { outcome: 'nothing' }
    })
  }
  return left
}
