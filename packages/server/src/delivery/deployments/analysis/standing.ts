import type { DeploymentAnalysis } from '@sluice/contract'
import type { Standing } from '../execution/state.ts'
import { dueAt, judged, type Measurement, runningOf, type Watchpoint, watched } from './machine.ts'

const withAnalysis = <S extends Standing>(standing: S, analysis: DeploymentAnalysis[]): S => ({
  ...standing,
  data: { ...standing.data, analysis },
})

/**
 * Updates the analyses to the `point` that the release has reached: a pause, a bake, or neither. Must be the last step
 * of a poll, because it moves the wake-up forward to the next measurement.
 */
export function watchedAt<S extends Standing>(standing: S, point: Watchpoint | undefined, now: Date): S {
  const spec = standing.release.analysis
  if (!spec) return standing
  return wokenForNext(withAnalysis(standing, watched(standing.data.analysis ?? [], spec, point, now)), now)
}

/**
 * Schedules the wake-up of the next measurement. `outcomeOf` takes measurements that are due already right after this
 * poll.
 */
function wokenForNext<S extends Standing>(standing: S, now: Date): S {
  const { wakeAt, data, release } = standing
  const running = runningOf(data.analysis ?? [])
  const next = running && release.analysis && dueAt(running, release.analysis)
  const isSooner = next && wakeAt && next > now && next < wakeAt
  return isSooner ? { ...standing, wakeAt: next } : standing
}

/** Reports whether the checks are due. */
export function mustMeasure({ release, data }: Standing, now: Date): boolean {
  const running = runningOf(data.analysis ?? [])
  return release.analysis !== undefined && running !== undefined && dueAt(running, release.analysis) <= now
}

/** Returns when the release reached the point at which its checks are measured. */
export function measuredSince({ data }: Standing): Date {
  const running = runningOf(data.analysis ?? [])
  if (!running) throw new Error('nothing is to be measured')
  return new Date(running.startedAt)
}

/**
 * Applies measurements to the deployment, and returns the analysis that they belong to. Its `action` says what to do
 * next.
 */
export function measured<S extends Standing>(
  standing: S,
  measurements: readonly Measurement[],
  now: Date,
): { standing: S; analysis?: DeploymentAnalysis } {
  const analyses = standing.data.analysis ?? []
  const running = runningOf(analyses)
  if (!running || !standing.release.analysis) return { standing }
  const analysis = judged(running, standing.release.analysis, measurements, now)
  const after = withAnalysis(
    standing,
    analyses.map((one) => (one === running ? analysis : one)),
  )
  return { standing: wokenForNext(after, now), analysis }
}
