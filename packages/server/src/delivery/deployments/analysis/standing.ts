import type { DeploymentAnalysis } from '@sluice/contract'
import type { Standing } from '../execution/state.ts'
import { dueAt, judged, type Measurement, runningOf, type Watchpoint, watched } from './machine.ts'

const withAnalysis = <S extends Standing>(standing: S, analysis: DeploymentAnalysis[]): S => ({
  ...standing,
  data: { ...standing.data, analysis },
})

/**
 * Takes in where the release stands: at a pause or in a bake, `point`, or at neither. To be called last of a look,
 * since the wake-up is brought forward to the next measurement.
 */
export function watchedAt<S extends Standing>(standing: S, point: Watchpoint | undefined, now: Date): S {
  const spec = standing.release.analysis
  if (!spec) return standing
  return wokenForNext(withAnalysis(standing, watched(standing.data.analysis ?? [], spec, point, now)), now)
}

/** What is due already is measured in this look, or at once after it, as `outcomeOf` sees to. */
function wokenForNext<S extends Standing>(standing: S, now: Date): S {
  const { wakeAt, data, release } = standing
  const running = runningOf(data.analysis ?? [])
  const next = running && release.analysis && dueAt(running, release.analysis)
  const isSooner = next && wakeAt && next > now && next < wakeAt
  return isSooner ? { ...standing, wakeAt: next } : standing
}

/** Whether the checks are to be measured now. */
export function mustMeasure({ release, data }: Standing, now: Date): boolean {
  const running = runningOf(data.analysis ?? [])
  return release.analysis !== undefined && running !== undefined && dueAt(running, release.analysis) <= now
}

/** Since when the release has stood where its checks are to be measured. */
export function measuredSince({ data }: Standing): Date {
  const running = runningOf(data.analysis ?? [])
  if (!running) throw new Error('nothing is to be measured')
  return new Date(running.startedAt)
}

/** Takes the measurements in; with the analysis that they belong to, whose `action` says what is to be done. */
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
