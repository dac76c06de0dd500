import { applyOutcome, type Reactions } from '../../analysis/act.ts'
import type { Measurement, Watchpoint } from '../../analysis/machine.ts'
import { rollBack } from './machine.ts'
import type { EcsState } from './state.ts'
import { hookLabel, note } from './track.ts'

const reactions: Reactions<EcsState> = {
  note,
  labelOf: hookLabel,
  rollBack: (deployment, message, now) => rollBack(deployment, 'analysis', message, now),
}

/** Applies measurements to the release. */
export const applyMeasurements = (deployment: EcsState, measurements: readonly Measurement[], now: Date): EcsState =>
  applyOutcome(deployment, measurements, now, reactions)

/** Stages in which production traffic moves. Their analysis is one bake, regardless of the number of steps. */
const shifting = ['PRE_PRODUCTION_TRAFFIC_SHIFT', 'PRODUCTION_TRAFFIC_SHIFT', 'POST_PRODUCTION_TRAFFIC_SHIFT']

/**
 * Returns the point at which the release can be analyzed: the pause that has waited longest, or the stages in which
 * both versions may have traffic.
 */
export function watchpointOf({ status, progress, data }: EcsState): Watchpoint | undefined {
  if (status !== 'IN_PROGRESS') return undefined
  const waiting = progress.hooks.find(({ state }) => state === 'waiting')
  if (waiting) {
    const { hookId, lifecycleStage } = waiting
    return lifecycleStage === undefined ? { hookId } : { hookId, lifecycleStage }
  }
  const { lifecycleStage = '', targetServiceRevision } = data.serviceDeploymentState ?? {}
  if (lifecycleStage === 'BAKE_TIME') return { lifecycleStage }
  const hasTraffic = (targetServiceRevision?.requestedProductionTrafficWeight ?? 0) > 0
  return hasTraffic && shifting.includes(lifecycleStage) ? { lifecycleStage: 'PRODUCTION_TRAFFIC_SHIFT' } : undefined
}
