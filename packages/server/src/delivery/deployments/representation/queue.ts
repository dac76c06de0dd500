import type { DeploymentQueue } from '@sluice/contract'
import type { Db } from '../../../platform/db/open.ts'
import { type Queue, readQueue } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'

type Waiting = Pick<DeploymentRow, 'id' | 'status' | 'moduleInstanceId' | 'createdAt' | 'startedAt' | 'completedAt'>

/** Returns what a deployment waits behind, and how long it waits or waited to start. */
export async function queueOf(db: Db, row: Waiting, now: Date): Promise<DeploymentQueue> {
  const ahead = row.status === 'PENDING' ? aheadOf(row, await readQueue(db, row.moduleInstanceId)) : []
  const until = row.startedAt ?? row.completedAt ?? now
  return { ahead, waitedMs: Math.max(0, until.getTime() - row.createdAt.getTime()) }
}

/** A deployment that has started meanwhile is not in the queue any more. */
function aheadOf({ id }: Pick<Waiting, 'id'>, { active, pending }: Queue): string[] {
  const ids = [...(active ? [active] : []), ...pending].map((one) => one.id)
  return ids.slice(0, Math.max(0, ids.indexOf(id)))
}
