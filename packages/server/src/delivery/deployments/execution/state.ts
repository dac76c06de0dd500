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

/** What approval rules asked for, as they last did; since `askedAt` nothing else keeps it waiting. */
export type KeptApproval = { askedAt?: string; demands: ApprovalRequirement[] }

/** What a deployment keeps of itself: its data as the wire has them, and what is told only where it is asked for. */
export type KeptData<D extends DeploymentData = DeploymentData> = D & {
  analysis?: DeploymentAnalysis[]
  approval?: KeptApproval
  /** What it was judged by when it was asked for. */
  policies?: PolicyVerdict[]
  /** What git calls who wrote the commit that is released, where a push led to it. */
  authors?: string[]
}

/** What its data are on the wire. */
export function dataOf({ analysis: _, approval: __, policies: ___, authors: ____, ...data }: KeptData): DeploymentData {
  return data
}

/** The part of a deployment of one type that moves, as its machine reads and writes it. */
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

/** The same of any type. */
export type Standing = StandingOf<Release, KeptData, Progress>

/**
 * How often the cloud is asked while nothing tells us to look: from `minMs`, backing off to `maxMs` (paused:
 * `pausedMaxMs`, or `crowdMs` where so many of the organization wait that this is longer).
 */
export type PollPace = { minMs: number; maxMs: number; pausedMaxMs: number; crowdMs: number }

export const later = (now: Date, ms: number): Date => new Date(now.getTime() + ms)

/** Milliseconds until somebody must look again. */
export const msUntilDue = ({ wakeAt }: Standing, now: Date): number =>
  Math.max(0, (wakeAt?.getTime() ?? 0) - now.getTime())

/** Whether it goes on at once. */
export const isDue = (standing: Standing, now: Date): boolean =>
  !isFinal(standing.status) && msUntilDue(standing, now) === 0

/** Whether a pause of it waits for somebody. */
export const isPaused = ({ progress }: Standing): boolean => progress.hooks.some(({ state }) => state === 'waiting')

/** Goes to `status`; a move the table of statuses does not know is a bug. */
export function move<S extends Standing>(standing: S, status: DeploymentStatus): S {
  if (!mayFollow(standing.status, status)) {
    throw new Error(`deployment ${standing.id} cannot go from ${standing.status} to ${status}`)
  }
  return { ...standing, status }
}

/** Ends the deployment: nothing wakes it any more, and nothing of it is analysed. */
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

/**
 * Waits until `wakeAt` at the latest, for the stated reason; never past the deadline, which someone must then act on.
 */
export function wait<S extends Standing>(standing: S, now: Date, ms: number, waitingFor: string): S {
  const wakeAt = later(now, ms)
  const { deadlineAt } = standing
  return { ...standing, wakeAt: deadlineAt && deadlineAt < wakeAt ? deadlineAt : wakeAt, waitingFor }
}

/** Goes on at once. */
export const goOn = <S extends Standing>(standing: S, now: Date, waitingFor: string): S =>
  wait(standing, now, 0, waitingFor)

export function record<S extends Standing>(standing: S, event: DeploymentEvent): S {
  return { ...standing, data: { ...standing.data, events: [...(standing.data.events ?? []), event] } }
}
