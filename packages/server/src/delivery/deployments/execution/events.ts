import type { DeploymentEvent, DeploymentStepCode, UserFacingError } from '@sluice/contract'
import { type DeploymentState, finish, record } from './state.ts'

type Details = Partial<Pick<DeploymentEvent, 'message' | 'lifecycleStage' | 'hookId' | 'trafficPhase' | 'desiredCount'>>

/** Functions that append events to the progress of a deployment. */
export type EventRecorder<S extends DeploymentState> = {
  /**
   * Appends an event. An event that is not a step of the track (paused, failed, rolled back) gets the number of the
   * current step.
   */
  note: (deployment: S, stepCode: DeploymentStepCode, now: Date, details?: Details) => S
  /** Appends every step of the track up to `number` that has no event yet, so that infrequent polling skips none. */
  reach: (deployment: S, number: number, now: Date, details?: Details) => S
  /** Ends the deployment as failed. */
  failed: (deployment: S, error: UserFacingError, now: Date) => S
  /** Ends the deployment as cancelled without a change to undo. */
  abandoned: (deployment: S, error: UserFacingError, now: Date) => S
}

/** Returns the number of the last step that has an event; 1 before the first. */
const lastStep = (deployment: DeploymentState): number => deployment.data.events?.at(-1)?.currentStep ?? 1

/** Returns the functions for a deployment type; `trackOf` returns the steps of a deployment from first to last. */
export function createEventRecorder<S extends DeploymentState>(
  trackOf: (deployment: S) => DeploymentStepCode[],
): EventRecorder<S> {
  const noteAt = (deployment: S, stepCode: DeploymentStepCode, currentStep: number, now: Date, details: Details): S => {
    const totalSteps = trackOf(deployment).length
    return record(deployment, { currentStep, totalSteps, stepCode, startedAt: now.toISOString(), ...details })
  }
  const note: EventRecorder<S>['note'] = (deployment, stepCode, now, details = {}) => {
    const track = trackOf(deployment)
    // A step code that occurs several times in the track does not identify a step.
    const isOnce = track.indexOf(stepCode) === track.lastIndexOf(stepCode)
    const number = isOnce ? track.indexOf(stepCode) + 1 : 0
    return noteAt(deployment, stepCode, number > 0 ? number : lastStep(deployment), now, details)
  }
  return {
    note,
    failed: (deployment, error, now) =>
      finish(note(deployment, 'FAILED', now, { message: error.message }), 'ERROR', now, error),
    abandoned: (deployment, error, now) =>
      finish(note(deployment, 'CANCELLED', now, { message: error.message }), 'CANCELLED', now, error),
    reach(deployment, number, now, details = {}) {
      const first = lastStep(deployment) + 1
      return trackOf(deployment)
        .slice(first - 1, number)
        .reduce((so, stepCode, index) => {
          const isLast = first + index === number
          return noteAt(so, stepCode, first + index, now, isLast ? details : {})
        }, deployment)
    },
  }
}
