import type { DeploymentEvent, DeploymentStatus, EcsDeploymentData, UserFacingError } from '@sluice/contract'
import { isFinal, mayFollow } from './machine.ts'
import type { Progress } from './progress.ts'
import type { DeploymentRow } from './tables.ts'

/** The part of a deployment that moves, as the machines read and write it. */
export type Standing = Pick<
  DeploymentRow,
  'id' | 'release' | 'status' | 'startedAt' | 'completedAt' | 'error' | 'externalDeploymentId'
> & {
  data: EcsDeploymentData
  progress: Progress
  wakeAt: Date | null
  deadlineAt: Date | null
  waitingFor: string | null
}

/** How often the cloud is asked while nothing tells us to look: from `minMs`, backing off to `maxMs` (paused: `pausedMaxMs`). */
export type PollPace = { minMs: number; maxMs: number; pausedMaxMs: number }

export const later = (now: Date, ms: number): Date => new Date(now.getTime() + ms)

/** Goes to `status`; a move the table of statuses does not know is a bug. */
export function move(standing: Standing, status: DeploymentStatus): Standing {
  if (!mayFollow(standing.status, status)) {
    throw new Error(`deployment ${standing.id} cannot go from ${standing.status} to ${status}`)
  }
  return { ...standing, status }
}

/** Ends the deployment: nothing wakes it any more. */
export function finish(standing: Standing, status: DeploymentStatus, now: Date, error?: UserFacingError): Standing {
  if (!isFinal(status)) throw new Error(`${status} is not final`)
  return {
    ...move(standing, status),
    completedAt: now,
    error: error ?? standing.error,
    wakeAt: null,
    deadlineAt: null,
    waitingFor: null,
  }
}

/** Waits until `wakeAt` at the latest, for the stated reason; never past the deadline, which someone must then act on. */
export function wait(standing: Standing, now: Date, ms: number, waitingFor: string): Standing {
  const wakeAt = later(now, ms)
  const { deadlineAt } = standing
  return { ...standing, wakeAt: deadlineAt && deadlineAt < wakeAt ? deadlineAt : wakeAt, waitingFor }
}

export function record(standing: Standing, event: DeploymentEvent): Standing {
  return { ...standing, data: { ...standing.data, events: [...(standing.data.events ?? []), event] } }
}
