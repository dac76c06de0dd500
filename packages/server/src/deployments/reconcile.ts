import type { Db } from '../platform/db/open.ts'
import type { Message } from '../platform/engine/messages.ts'
import { claimOverdue } from '../platform/engine/overdue.ts'
import { deployments } from './tables.ts'
import { deploymentService, targetService } from './wake.ts'

/** The messages of the deployments whose wake-up is overdue. */
export async function overdueDeployments(db: Db, now: Date): Promise<Message[]> {
  const rows = await claimOverdue(db, deployments, now)
  return rows.map(({ id, status, moduleInstanceId, wakeSeq }) =>
    status === 'PENDING'
      ? { service: targetService, key: moduleInstanceId, handler: 'admit' }
      : { service: deploymentService, key: id, handler: 'advance', payload: { seq: wakeSeq } },
  )
}
