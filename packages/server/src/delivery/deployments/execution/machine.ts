import { type DeploymentStatus, isDeploymentOver, unfinishedDeploymentStatuses } from '@sluice/contract'

/** Statuses that can follow each status. A paused deployment is `IN_PROGRESS` with a pending hook. */
const allowedTransitions = {
  PENDING: ['IN_PROGRESS', 'CANCELLED'],
  IN_PROGRESS: ['SUCCESS', 'ERROR', 'CANCELLED', 'ROLLING_BACK'],
  ROLLING_BACK: ['ROLLED_BACK', 'ERROR'],
  SUCCESS: [],
  ERROR: [],
  CANCELLED: [],
  ROLLED_BACK: [],
} as const satisfies Record<DeploymentStatus, readonly DeploymentStatus[]>

/** Reports whether a deployment can change from `from` to `to`; it can always keep its status. */
export const canTransition = (from: DeploymentStatus, to: DeploymentStatus): boolean =>
  from === to || (allowedTransitions[from] as readonly DeploymentStatus[]).includes(to)

/** Reports whether a status is final. */
export const isFinal = isDeploymentOver

/** Statuses of a deployment that is not final. */
export const unfinishedStatuses = unfinishedDeploymentStatuses

/** Statuses of an active deployment, which occupies its module instance. Other deployments are queued or final. */
export const activeStatuses = ['IN_PROGRESS', 'ROLLING_BACK'] as const satisfies readonly DeploymentStatus[]

/**
 * Maximum number of queued deployments of a module instance, and which one is superseded or rejected when one more is
 * requested.
 */
export type QueuePolicy = { queueSize: number; queueOverflow: 'oldest' | 'newest' | 'reject' }

/** Result for a new deployment: it is queued (superseding `superseded`), is superseded itself, or is rejected. */
export type Admission =
  | { accept: 'waits'; superseded: string[] }
  | { accept: 'gives-way'; to: string }
  | { accept: 'no' }

/**
 * Decides whether the queue of an instance admits a new deployment. `pending` are the ids of queued deployments, oldest
 * first. While none is active, the oldest one is about to start and does not count.
 */
export function admit(policy: QueuePolicy, pending: readonly string[], hasActive: boolean): Admission {
  const waiting = hasActive ? pending : pending.slice(1)
  const isAboutToStart = !hasActive && pending.length === 0
  if (isAboutToStart || waiting.length < policy.queueSize) return { accept: 'waits', superseded: [] }
  if (policy.queueOverflow === 'reject') return { accept: 'no' }

  const newest = pending.at(-1)
  // A queue of size 0 has no deployment to supersede, and the new one cannot wait.
  if (policy.queueSize === 0) return { accept: 'no' }
  if (policy.queueOverflow === 'newest' && newest !== undefined) return { accept: 'gives-way', to: newest }
  return { accept: 'waits', superseded: waiting.slice(0, waiting.length - policy.queueSize + 1) }
}
