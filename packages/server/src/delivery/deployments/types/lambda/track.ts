import type { DeploymentStepCode, PauseLabel, TrafficPhase } from '@sluice/contract'
import { createEventRecorder } from '../../execution/events.ts'
import type { Hook } from '../../execution/progress.ts'
import type { AfterPause } from '../deployment-type.ts'
import type { LambdaRelease, LambdaStrategy } from './release.ts'
import type { LambdaState } from './state.ts'

/**
 * Returns the traffic share of the new version after each shift, in percent. Linear uses equal steps: 30, 60, 90, 100.
 */
export function sharesOf({ type, linear, canary }: LambdaStrategy): number[] {
  if (type === 'canary' && canary && canary.canaryPercent < 100) return [canary.canaryPercent, 100]
  if (type !== 'linear' || !linear) return [100]
  const { stepPercent } = linear
  const count = Math.ceil(100 / stepPercent)
  return Array.from({ length: count }, (_, index) => Math.min(100, stepPercent * (index + 1)))
}

/** Returns the bake time after `shifts` shifts, in minutes. */
export function bakeMinutesAfter(strategy: LambdaStrategy, shifts: number): number {
  const { linear, canary, bakeTimeInMinutes } = strategy
  if (shifts >= sharesOf(strategy).length) return bakeTimeInMinutes
  return linear?.stepBakeTimeInMinutes ?? canary?.canaryBakeTimeInMinutes ?? 0
}

/** Returns the total bake time, in minutes. */
export const bakeMinutes = (strategy: LambdaStrategy): number =>
  sharesOf(strategy).reduce((sum, _, index) => sum + bakeMinutesAfter(strategy, index + 1), 0)

/** Returns the steps of a release from first to last, with every traffic shift. */
export function trackOf({ version, strategy, keepReleases }: LambdaRelease): DeploymentStepCode[] {
  const shifts = sharesOf(strategy).map((): DeploymentStepCode => 'PRODUCTION_TRAFFIC_SHIFT')
  return [
    'INIT',
    ...(version ? [] : (['UPDATE_CODE'] as const)),
    'PUBLISH_VERSION',
    ...shifts,
    ...(strategy.bakeTimeInMinutes > 0 ? (['BAKE'] as const) : []),
    ...(keepReleases === undefined ? [] : (['CLEAN_UP'] as const)),
    'COMPLETED',
  ]
}

export const { note, reach, failed, abandoned } = createEventRecorder<LambdaState>(({ release }) => trackOf(release))

/** Returns the number of a shift's step in the track; shifts are numbered from 1. */
export const stepOfShift = (release: LambdaRelease, number: number): number =>
  trackOf(release).indexOf('PRODUCTION_TRAFFIC_SHIFT') + number

/** Returns the share of production traffic of the new version, as a phase. */
export function trafficPhaseAfter(strategy: LambdaStrategy, shifts: number): TrafficPhase {
  if (shifts === 0) return 'standby'
  return shifts >= sharesOf(strategy).length ? 'production' : 'shifting'
}

/** Returns what a user approves by continuing a pause. */
function labelAt(stage: string | undefined, shifts: number): PauseLabel {
  if (stage === 'POST_PRODUCTION_TRAFFIC_SHIFT') return 'finish'
  return shifts === 0 ? 'shift_traffic' : 'continue'
}

/** Returns what a user approves by continuing this pause. */
export const hookLabel = ({ progress }: LambdaState, { lifecycleStage }: Hook): PauseLabel =>
  labelAt(lifecycleStage, progress.shifts)

/** Returns the step that begins when a pause is continued. */
export function afterPause({ release: { strategy }, progress: { shifts } }: LambdaState): AfterPause {
  const shares = sharesOf(strategy)
  const toPercent = shares[shifts]
  if (toPercent === undefined) return { nextStepCode: 'COMPLETED' }
  return { nextStepCode: 'PRODUCTION_TRAFFIC_SHIFT', fromPercent: shares[shifts - 1] ?? 0, toPercent }
}
