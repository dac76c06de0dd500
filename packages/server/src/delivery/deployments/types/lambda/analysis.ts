import { present } from '../../../../platform/present.ts'
import { applyOutcome, type Reactions } from '../../analysis/act.ts'
import type { Measurement, Watchpoint } from '../../analysis/machine.ts'
import { withAnalysesAt } from '../../analysis/state.ts'
import type { LambdaState } from './state.ts'
import { hookLabel, note, sharesOf } from './track.ts'
import { rollBack } from './transitions.ts'

const reactions: Reactions<LambdaState> = { note, labelOf: hookLabel, rollBack }

/** Applies measurements to the release. */
export const applyMeasurements = (
  deployment: LambdaState,
  measurements: readonly Measurement[],
  now: Date,
): LambdaState => applyOutcome(deployment, measurements, now, reactions)

/**
 * Updates the analyses to the current point of the release. A shift is instantaneous, so that an analysis either
 * continues after it or ends.
 */
export function withAnalyses(deployment: LambdaState, now: Date): LambdaState {
  if (deployment.status === 'IN_PROGRESS' && deployment.progress.step === 'shift') return deployment
  return withAnalysesAt(deployment, watchpointOf(deployment), now)
}

/**
 * Returns the point at which the release can be analyzed, named like the stages of ECS: a pause, during weighted
 * routing, or after it.
 */
function watchpointOf({ status, release, progress }: LambdaState): Watchpoint | undefined {
  if (status !== 'IN_PROGRESS') return undefined
  const { step, hooks, shifts } = progress
  const waiting = hooks.find(({ state }) => state === 'waiting')
  if (waiting) return present({ hookId: waiting.hookId, lifecycleStage: waiting.lifecycleStage })
  if (step !== 'bake') return undefined
  const isLast = shifts >= sharesOf(release.strategy).length
  return { lifecycleStage: isLast ? 'BAKE_TIME' : 'PRODUCTION_TRAFFIC_SHIFT' }
}
