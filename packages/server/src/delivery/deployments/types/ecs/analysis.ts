import { act, type Reactions } from '../../analysis/act.ts'
import type { Measurement, Watchpoint } from '../../analysis/machine.ts'
import { rollBack } from './machine.ts'
import type { EcsStanding } from './state.ts'
import { labelOfHook, note } from './track.ts'

const reactions: Reactions<EcsStanding> = {
  note,
  labelOf: labelOfHook,
  rollBack: (standing, message, now) => rollBack(standing, 'analysis', message, now),
}

/** Acts on the measurements. */
export const analysed = (standing: EcsStanding, measurements: readonly Measurement[], now: Date): EcsStanding =>
  act(standing, measurements, now, reactions)

/** Stages at which users' traffic has begun to move: what is analysed there is one bake, however many steps it has. */
const shifting = ['PRE_PRODUCTION_TRAFFIC_SHIFT', 'PRODUCTION_TRAFFIC_SHIFT', 'POST_PRODUCTION_TRAFFIC_SHIFT']

/**
 * Where the release can be analysed: at the pause that has waited longest, or where both versions have traffic or may.
 */
export function watchpointOf({ status, progress, data }: EcsStanding): Watchpoint | undefined {
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
