import type { Author } from '../../../identity/audit-events/author.ts'
import type { Db } from '../../../platform/db/open.ts'
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
