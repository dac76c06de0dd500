import type { DeploymentAnalysis } from '@sluice/contract'
import type { DeploymentState } from '../execution/state.ts'
import { addMeasurements, analysesAt, dueAt, type Measurement, runningOf, type Watchpoint } from './machine.ts'

const withAnalysis = <S extends DeploymentState>(deployment: S, analysis: DeploymentAnalysis[]): S => ({
  ...deployment,
  data: { ...deployment.data, analysis },
})

/**
 * Updates the analyses to the `point` that the release has reached: a pause, a bake, or neither. Must be the last step
 * of a poll, because it moves the wake-up forward to the next measurement.
 */
export function withAnalysesAt<S extends DeploymentState>(deployment: S, point: Watchpoint | undefined, now: Date): S {
  const spec = deployment.release.analysis
  if (!spec) return deployment
  return scheduleMeasurement(
    withAnalysis(deployment, analysesAt(deployment.data.analysis ?? [], spec, point, now)),
    now,
  )
}

/**
 * Schedules the wake-up of the next measurement. `outcomeOf` takes measurements that are due already right after this
 * poll.
 */
function scheduleMeasurement<S extends DeploymentState>(deployment: S, now: Date): S {
  const { wakeAt, data, release } = deployment
  const running = runningOf(data.analysis ?? [])
  const next = running && release.analysis && dueAt(running, release.analysis)
  const isSooner = next && wakeAt && next > now && next < wakeAt
  return isSooner ? { ...deployment, wakeAt: next } : deployment
}

/** Reports whether the checks are due. */
export function mustMeasure({ release, data }: DeploymentState, now: Date): boolean {
  const running = runningOf(data.analysis ?? [])
  return release.analysis !== undefined && running !== undefined && dueAt(running, release.analysis) <= now
}

/** Returns when the release reached the point at which its checks are measured. */
export function measuredSince({ data }: DeploymentState): Date {
  const running = runningOf(data.analysis ?? [])
  if (!running) throw new Error('nothing is to be measured')
  return new Date(running.startedAt)
}

/**
 * Applies measurements to the deployment, and returns the analysis that they belong to. Its `action` says what to do
 * next.
 */
export function applyMeasurements<S extends DeploymentState>(
  deployment: S,
  measurements: readonly Measurement[],
  now: Date,
): { deployment: S; analysis?: DeploymentAnalysis } {
  const analyses = deployment.data.analysis ?? []
  const running = runningOf(analyses)
  if (!running || !deployment.release.analysis) return { deployment }
  const analysis = addMeasurements(running, deployment.release.analysis, measurements, now)
  const after = withAnalysis(
    deployment,
    analyses.map((one) => (one === running ? analysis : one)),
  )
  return { deployment: scheduleMeasurement(after, now), analysis }
}
