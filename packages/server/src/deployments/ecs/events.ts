import type { DeploymentEvent, DeploymentStepCode } from '@sluice/contract'
import { record, type Standing } from '../standing.ts'
import { stepNumber, trackOf } from './track.ts'

type Details = Partial<Pick<DeploymentEvent, 'message' | 'lifecycleStage' | 'hookId' | 'trafficPhase' | 'desiredCount'>>

/** The number of the last step that the events show; 1 before the first. */
export const lastStep = (standing: Standing): number => standing.data.events?.at(-1)?.currentStep ?? 1

/** Appends a progress event. A step that is not on the track (paused, failed, rolled back) is dated to where it stands. */
export function note(standing: Standing, stepCode: DeploymentStepCode, now: Date, details: Details = {}): Standing {
  const weight = standing.data.serviceDeploymentState?.targetServiceRevision?.requestedProductionTrafficWeight
  return record(standing, {
    currentStep: stepNumber(standing.release, stepCode, weight) ?? lastStep(standing),
    totalSteps: trackOf(standing.release).length,
    stepCode,
    startedAt: now.toISOString(),
    ...details,
  })
}
