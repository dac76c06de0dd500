import type { DeploymentEvent, DeploymentStepCode, UserFacingError } from '@sluice/contract'
import { finish, record, type Standing } from './state.ts'

type Details = Partial<Pick<DeploymentEvent, 'message' | 'lifecycleStage' | 'hookId' | 'trafficPhase' | 'desiredCount'>>

/** Appends events to the progress of a deployment. */
export type Notes<S extends Standing> = {
  /** Appends an event. One that is not on the track (paused, failed, rolled back) is dated to where it stands. */
  note: (standing: S, stepCode: DeploymentStepCode, now: Date, details?: Details) => S
  /**
   * Appends every step of the track up to `number` that the events do not show yet: none is left out, however seldom we
   * look.
   */
  reach: (standing: S, number: number, now: Date, details?: Details) => S
  /** Ends it as failed. */
  failed: (standing: S, error: UserFacingError, now: Date) => S
  /** Ends it as cancelled: there was nothing to undo. */
  abandoned: (standing: S, error: UserFacingError, now: Date) => S
}

/** The number of the last step that the events show; 1 before the first. */
const lastStep = (standing: Standing): number => standing.data.events?.at(-1)?.currentStep ?? 1

/** The notes of a type of deployment whose steps, from first to last, `trackOf` knows. */
export function notesAlong<S extends Standing>(trackOf: (release: S['release']) => DeploymentStepCode[]): Notes<S> {
  const noteAt = (standing: S, stepCode: DeploymentStepCode, currentStep: number, now: Date, details: Details): S => {
    const totalSteps = trackOf(standing.release).length
    return record(standing, { currentStep, totalSteps, stepCode, startedAt: now.toISOString(), ...details })
  }
  const note: Notes<S>['note'] = (standing, stepCode, now, details = {}) => {
    const track = trackOf(standing.release)
    // A step that the track has several times says nothing of where it stands.
    const isOnce = track.indexOf(stepCode) === track.lastIndexOf(stepCode)
    const number = isOnce ? track.indexOf(stepCode) + 1 : 0
    return noteAt(standing, stepCode, number > 0 ? number : lastStep(standing), now, details)
  }
  return {
    note,
    failed: (standing, error, now) =>
      finish(note(standing, 'FAILED', now, { message: error.message }), 'ERROR', now, error),
    abandoned: (standing, error, now) =>
      finish(note(standing, 'CANCELLED', now, { message: error.message }), 'CANCELLED', now, error),
    reach(standing, number, now, details = {}) {
      const first = lastStep(standing) + 1
      return trackOf(standing.release)
        .slice(first - 1, number)
        .reduce((so, stepCode, index) => {
          const isLast = first + index === number
          return noteAt(so, stepCode, first + index, now, isLast ? details : {})
        }, standing)
    },
  }
}
