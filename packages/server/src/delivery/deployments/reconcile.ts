import type { Db } from '../../platform/db/open.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { claimOverdue } from '../../platform/engine/overdue.ts'
import { deployments } from './tables.ts'
import { toDeployment } from './wake.ts'

/** The messages of the deployments whose wake-up is overdue. */
export async function overdueDeployments(db: Db, now: Date): Promise<Message[]> {
  const rows = await claimOverdue(db, deployments, now)
  // One that waits for its turn has no timer that could be out of date.
  return rows.map(({ id, status, wakeSeq }) => toDeployment(id, status === 'PENDING' ? {} : { seq: wakeSeq }))
}
