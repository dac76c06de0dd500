import { type DeploymentStatus, isDeploymentOver, unfinishedDeploymentStatuses } from '@sluice/contract'

/** What may follow what. Paused is `IN_PROGRESS` with a pending hook. */
const next = {
  PENDING: ['IN_PROGRESS', 'CANCELLED'],
  IN_PROGRESS: ['SUCCESS', 'ERROR', 'CANCELLED', 'ROLLING_BACK'],
  ROLLING_BACK: ['ROLLED_BACK', 'ERROR'],
  SUCCESS: [],
  ERROR: [],
  CANCELLED: [],
  ROLLED_BACK: [],
} as const satisfies Record<DeploymentStatus, readonly DeploymentStatus[]>

/** Whether a deployment in `from` may go to `to`; staying where it is always may. */
export const mayFollow = (from: DeploymentStatus, to: DeploymentStatus): boolean =>
  from === to || (next[from] as readonly DeploymentStatus[]).includes(to)

/** Whether a deployment in this status never changes again. */
export const isFinal = isDeploymentOver

/** The statuses of a deployment that is not over. */
export const unfinishedStatuses = unfinishedDeploymentStatuses

/** The statuses in which a deployment holds its module instance; the rest wait or are over. */
export const activeStatuses = ['IN_PROGRESS', 'ROLLING_BACK'] as const satisfies readonly DeploymentStatus[]

/** How many deployments of one module instance may wait, and which gives way when one more comes. */
export type QueuePolicy = { queueSize: number; queueOverflow: 'oldest' | 'newest' | 'reject' }

/** What becomes of a new deployment: it waits (and `superseded` ones give way), gives way itself, or is refused. */
export type Admission =
  | { accept: 'waits'; superseded: string[] }
  | { accept: 'gives-way'; to: string }
  | { accept: 'no' }

/**
 * Decides on a new deployment of an instance. `pending` are the ids of those that wait already, oldest first.
 * While nothing runs, the oldest waiting one is about to start and takes no place in the queue.
 */
export function admit(policy: QueuePolicy, pending: readonly string[], hasActive: boolean): Admission {
  const waiting = hasActive ? pending : pending.slice(1)
  const isAboutToStart = !hasActive && pending.length === 0
  if (isAboutToStart || waiting.length < policy.queueSize) return { accept: 'waits', superseded: [] }
  if (policy.queueOverflow === 'reject') return { accept: 'no' }

  const newest = pending.at(-1)
  // A queue of size 0 has nobody to displace: the new one itself cannot wait.
  if (policy.queueSize === 0) return { accept: 'no' }
  if (policy.queueOverflow === 'newest' && newest !== undefined) return { accept: 'gives-way', to: newest }
  return { accept: 'waits', superseded: waiting.slice(0, waiting.length - policy.queueSize + 1) }
}
