import type {
  ApprovalRequirement,
  DeploymentAnalysis,
  DeploymentData,
  DeploymentEvent,
  DeploymentStatus,
  PolicyVerdict,
  UserFacingError,
} from '@sluice/contract'
import { allEnded } from '../analysis/machine.ts'
import type { DeploymentRow } from '../store/tables.ts'
import type { Release } from '../types/release.ts'
import { isFinal, mayFollow } from './machine.ts'
import type { Progress } from './progress.ts'

/** Stored approval requirements, as last evaluated. After `askedAt`, nothing else blocked the deployment. */
export type KeptApproval = { askedAt?: string; demands: ApprovalRequirement[] }

/** Stored data of a deployment: the wire's data, and parts that are returned only on request. */
export type KeptData<D extends DeploymentData = DeploymentData> = D & {
  analysis?: DeploymentAnalysis[]
  approval?: KeptApproval
  /** Policy decisions at the time of the request. */
  policies?: PolicyVerdict[]
  /** Git names of the authors of the released commit, if a push caused the deployment. */
  authors?: string[]
}

/** Returns the part of the stored data that the wire has. */
export function dataOf({ analysis: _, approval: __, policies: ___, authors: ____, ...data }: KeptData): DeploymentData {
  return data
}

/** State of a deployment of one type, as its state machine reads and writes it. */
export type StandingOf<R extends Release, D extends KeptData, P extends Progress> = Pick<
  DeploymentRow,
  | 'id'
  | 'status'
  | 'startedAt'
  | 'completedAt'
  | 'error'
  | 'externalDeploymentId'
  | 'resourceArn'
  | 'wakeAt'
  | 'deadlineAt'
  | 'waitingFor'
> & { release: R; data: D; progress: P }

/** State of a deployment of any type. */
export type Standing = StandingOf<Release, KeptData, Progress>

/**
 * Polling intervals in milliseconds without events of the cloud: from `minMs`, backing off to `maxMs`. While paused,
 * the maximum is `pausedMaxMs`, or `crowdMs` if so many deployments of the organization wait that this is longer.
 */
export type PollPace = { minMs: number; maxMs: number; pausedMaxMs: number; crowdMs: number }

export const later = (now: Date, ms: number): Date => new Date(now.getTime() + ms)

/** Returns the milliseconds until the next poll is due. */
export const msUntilDue = ({ wakeAt }: Standing, now: Date): number =>
  Math.max(0, (wakeAt?.getTime() ?? 0) - now.getTime())

/** Reports whether the deployment is due now. */
export const isDue = (standing: Standing, now: Date): boolean =>
  !isFinal(standing.status) && msUntilDue(standing, now) === 0

/** Reports whether a pause of the deployment waits for a decision. */
export const isPaused = ({ progress }: Standing): boolean => progress.hooks.some(({ state }) => state === 'waiting')

/**
 * Changes the status.
 * @throws if the transition is not legal, which is a defect
 */
export function move<S extends Standing>(standing: S, status: DeploymentStatus): S {
  if (!mayFollow(standing.status, status)) {
    throw new Error(`deployment ${standing.id} cannot go from ${standing.status} to ${status}`)
  }
  return { ...standing, status }
}

/** Ends the deployment: clears its wake-up and ends its analyses. */
export function finish<S extends Standing>(
  standing: S,
  status: DeploymentStatus,
  now: Date,
  error?: UserFacingError,
): S {
  if (!isFinal(status)) throw new Error(`${status} is not final`)
  return {
    ...move(unwatched(standing, now), status),
    completedAt: now,
    error: error ?? standing.error,
    wakeAt: null,
    deadlineAt: null,
    waitingFor: null,
  }
}

function unwatched<S extends Standing>(standing: S, now: Date): S {
  const { data } = standing
  if (data.analysis === undefined) return standing
  return { ...standing, data: { ...data, analysis: allEnded(data.analysis, now) } }
}

/** Schedules the next poll in `ms`, for the stated reason, but never after the deadline, which needs an action. */
export function wait<S extends Standing>(standing: S, now: Date, ms: number, waitingFor: string): S {
  const wakeAt = later(now, ms)
  const { deadlineAt } = standing
  return { ...standing, wakeAt: deadlineAt && deadlineAt < wakeAt ? deadlineAt : wakeAt, waitingFor }
}

/** Schedules the next step at once. */
export const goOn = <S extends Standing>(standing: S, now: Date, waitingFor: string): S =>
  wait(standing, now, 0, waitingFor)

export function record<S extends Standing>(standing: S, event: DeploymentEvent): S {
  return { ...standing, data: { ...standing.data, events: [...(standing.data.events ?? []), event] } }
}
