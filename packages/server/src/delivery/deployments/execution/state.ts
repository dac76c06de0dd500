import type {
  ApprovalRequirement,
  DeploymentAnalysis,
  DeploymentData,
  DeploymentEvent,
  DeploymentStatus,
  PolicyVerdict,
  UserFacingError,
} from '@sluice/contract'
import { endAnalyses } from '../analysis/machine.ts'
import type { DeploymentRow } from '../store/tables.ts'
import type { Release } from '../types/release.ts'
import { canTransition, isFinal } from './machine.ts'
import type { Progress } from './progress.ts'

/** Stored approval requirements, as last evaluated. After `askedAt`, nothing else blocked the deployment. */
export type StoredApproval = { askedAt?: string; demands: ApprovalRequirement[] }

/** Stored data of a deployment: the wire's data, and parts that are returned only on request. */
export type StoredData<D extends DeploymentData = DeploymentData> = D & {
  analysis?: DeploymentAnalysis[]
  approval?: StoredApproval
  /** Policy decisions at the time of the request. */
  policies?: PolicyVerdict[]
  /** Git names of the authors of the released commit, if a push caused the deployment. */
  authors?: string[]
}

/** Returns the part of the stored data that the wire has. */
export function dataOf({
  analysis: _,
  approval: __,
  policies: ___,
  authors: ____,
  ...data
}: StoredData): DeploymentData {
  return data
}

/** State of a deployment of one type, as its state machine reads and writes it. */
export type DeploymentStateOf<R extends Release, D extends StoredData, P extends Progress> = Pick<
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
export type DeploymentState = DeploymentStateOf<Release, StoredData, Progress>

/**
 * Polling intervals in milliseconds without events of the cloud: from `minMs`, backing off to `maxMs`. While paused,
 * the maximum is `pausedMaxMs`, or `crowdMs` if so many deployments of the organization wait that this is longer.
 */
export type PollPace = { minMs: number; maxMs: number; pausedMaxMs: number; crowdMs: number }

export const later = (now: Date, ms: number): Date => new Date(now.getTime() + ms)

/** Returns the milliseconds until the next poll is due. */
export const msUntilDue = ({ wakeAt }: DeploymentState, now: Date): number =>
  Math.max(0, (wakeAt?.getTime() ?? 0) - now.getTime())

/** Reports whether the deployment is due now. */
export const isDue = (deployment: DeploymentState, now: Date): boolean =>
  !isFinal(deployment.status) && msUntilDue(deployment, now) === 0

/** Reports whether a pause of the deployment waits for a decision. */
export const isPaused = ({ progress }: DeploymentState): boolean =>
  progress.hooks.some(({ state }) => state === 'waiting')

/**
 * Changes the status.
 * @throws if the transition is not legal, which is a defect
 */
export function setStatus<S extends DeploymentState>(deployment: S, status: DeploymentStatus): S {
  if (!canTransition(deployment.status, status)) {
    throw new Error(`deployment ${deployment.id} cannot go from ${deployment.status} to ${status}`)
  }
  return { ...deployment, status }
}

/** Ends the deployment: clears its wake-up and ends its analyses. */
export function finish<S extends DeploymentState>(
  deployment: S,
  status: DeploymentStatus,
  now: Date,
  error?: UserFacingError,
): S {
  if (!isFinal(status)) throw new Error(`${status} is not final`)
  return {
    ...setStatus(unwatched(deployment, now), status),
    completedAt: now,
    error: error ?? deployment.error,
    wakeAt: null,
    deadlineAt: null,
    waitingFor: null,
  }
}

function unwatched<S extends DeploymentState>(deployment: S, now: Date): S {
  const { data } = deployment
  if (data.analysis === undefined) return deployment
  return { ...deployment, data: { ...data, analysis: endAnalyses(data.analysis, now) } }
}

/** Schedules the next poll in `ms`, for the stated reason, but never after the deadline, which needs an action. */
export function pollAfter<S extends DeploymentState>(deployment: S, now: Date, ms: number, waitingFor: string): S {
  const wakeAt = later(now, ms)
  const { deadlineAt } = deployment
  return { ...deployment, wakeAt: deadlineAt && deadlineAt < wakeAt ? deadlineAt : wakeAt, waitingFor }
}

/** Schedules the next step at once. */
export const continueNow = <S extends DeploymentState>(deployment: S, now: Date, waitingFor: string): S =>
  pollAfter(deployment, now, 0, waitingFor)

export function record<S extends DeploymentState>(deployment: S, event: DeploymentEvent): S {
  return { ...deployment, data: { ...deployment.data, events: [...(deployment.data.events ?? []), event] } }
}
