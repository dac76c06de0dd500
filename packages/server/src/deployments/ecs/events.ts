import type { DeploymentEvent, DeploymentStepCode } from '@sluice/contract'
import { record, type Standing } from '../standing.ts'
import { trackOf } from './track.ts'

type Details = Partial<Pick<DeploymentEvent, 'message' | 'lifecycleStage' | 'hookId' | 'trafficPhase' | 'desiredCount'>>

/** The number of the last step that the events show; 1 before the first. */
export const lastStep = (standing: Standing): number => standing.data.events?.at(-1)?.currentStep ?? 1

/** Appends a progress event. One that is not on the track (paused, failed, rolled back) is dated to where it stands. */
export function note(standing: Standing, stepCode: DeploymentStepCode, now: Date, details: Details = {}): Standing {
  const track = trackOf(standing.release)
  const number = track.indexOf(stepCode) + 1
  return noteAt(
    standing,
    stepCode,
    number > 0 && stepCode !== 'PRODUCTION_TRAFFIC_SHIFT' ? number : lastStep(standing),
    now,
    details,
  )
}

/** Appends every step of the track up to `number` that the events do not show yet: none is left out, however seldom we look. */
export function reach(standing: Standing, number: number, now: Date, details: Details = {}): Standing {
  const track = trackOf(standing.release)
  const first = lastStep(standing) + 1
  return track.slice(first - 1, number).reduce((so, stepCode, index) => {
    const isLast = first + index === number
    return noteAt(so, stepCode, first + index, now, isLast ? details : {})
  }, standing)
}

function noteAt(
  standing: Standing,
  stepCode: DeploymentStepCode,
  currentStep: number,
  now: Date,
  details: Details,
): Standing {
  const totalSteps = trackOf(standing.release).length
  return record(standing, { currentStep, totalSteps, stepCode, startedAt: now.toISOString(), ...details })
}
