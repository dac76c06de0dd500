import type { Bookkeeping } from '../types/deployment-type.ts'
import { backOff } from './attempts.ts'
import type { EventRecorder } from './events.ts'
import { continueNow, type DeploymentState, later, type PollPace, pollAfter, setStatus } from './state.ts'

// State transitions that all deployment types share.

/** Starts the deployment, with `workingMs` milliseconds until its deadline. */
export function startDeployment<S extends DeploymentState>(
  deployment: S,
  workingMs: number,
  now: Date,
  note: EventRecorder<S>['note'],
): S {
  const running = { ...setStatus(deployment, 'IN_PROGRESS'), startedAt: now, deadlineAt: later(now, workingMs) }
  return continueNow(note(running, 'INIT', now), now, 'the release to be prepared')
}

/** Returns what requires only the database, which comes before any action in the cloud. */
export function bookkeepingOf({ status, deadlineAt }: DeploymentState, now: Date): Bookkeeping | undefined {
  if (status !== 'IN_PROGRESS' && status !== 'ROLLING_BACK') return { do: 'rest' }
  return deadlineAt && deadlineAt <= now ? { do: 'expire' } : undefined
}

/** Continues with a step at once, and resets everything that belongs to the previous step. */
export function goTo<S extends DeploymentState>(
  deployment: S,
  step: S['progress']['step'],
  now: Date,
  more: Partial<S['progress']> = {},
): S {
  const { attemptedAt: _, waitingSince: __, ...kept } = deployment.progress
  const progress = { ...kept, ...more, step, attempt: 0, troubles: 0, quiet: 0 }
  return continueNow({ ...deployment, progress }, now, `the step ${step}`)
}

type PollDelay = {
  pace: PollPace
  now: Date
  waitingFor: string
  /** Whether the last poll found a change, so that the next one comes soon. */
  isNew?: boolean
  /** Maximum delay in milliseconds. */
  mostMs?: number
}

/** Schedules the next poll, with a delay that grows each time that nothing has changed. */
export function pollLater<S extends DeploymentState>(
  deployment: S,
  { pace, now, waitingFor, isNew = false, mostMs = pace.maxMs }: PollDelay,
): S {
  const quiet = isNew ? 0 : deployment.progress.quiet + 1
  const waiting = { ...deployment, progress: { ...deployment.progress, quiet, troubles: 0 } }
  return pollAfter(waiting, now, Math.min(mostMs, backOff(pace.minMs, pace.maxMs, Math.max(1, quiet))), waitingFor)
}

/**
 * Gives up a deployment on behalf of a user; `how` does what its type requires. A deployment that is rolling back
 * continues to do so. Returns undefined if the deployment has ended.
 */
export function cancelWith<S extends DeploymentState>(deployment: S, how: (deployment: S) => S): S | undefined {
  if (deployment.status === 'ROLLING_BACK') return deployment
  return deployment.status === 'PENDING' || deployment.status === 'IN_PROGRESS' ? how(deployment) : undefined
}
