import { present } from '../../../../platform/present.ts'
import { act, type Reactions } from '../../analysis/act.ts'
import type { Measurement, Watchpoint } from '../../analysis/machine.ts'
import { watchedAt } from '../../analysis/standing.ts'
import type { LambdaStanding } from './state.ts'
import { labelOfHook, note, sharesOf } from './track.ts'
import { rollBack } from './transitions.ts'

const reactions: Reactions<LambdaStanding> = { note, labelOf: labelOfHook, rollBack }

/** Acts on the measurements. */
export const analysed = (standing: LambdaStanding, measurements: readonly Measurement[], now: Date): LambdaStanding =>
  act(standing, measurements, now, reactions)

/**
 * Takes in where the release stands. A shift is a moment between two such places: what is analysed before it goes on
 * after it, or is over then.
 */
export function watching(standing: LambdaStanding, now: Date): LambdaStanding {
  if (standing.status === 'IN_PROGRESS' && standing.progress.step === 'shift') return standing
  return watchedAt(standing, watchpointOf(standing), now)
}

/**
 * Where the release can be analysed, in the words of the cloud's own stages: at a pause, while calls are shared, and
 * after.
 */
function watchpointOf({ status, release, progress }: LambdaStanding): Watchpoint | undefined {
  if (status !== 'IN_PROGRESS') return undefined
  const { step, hooks, shifts } = progress
  const waiting = hooks.find(({ state }) => state === 'waiting')
  if (waiting) return present({ hookId: waiting.hookId, lifecycleStage: waiting.lifecycleStage })
  if (step !== 'bake') return undefined
  const isLast = shifts >= sharesOf(release.strategy).length
  return { lifecycleStage: isLast ? 'BAKE_TIME' : 'PRODUCTION_TRAFFIC_SHIFT' }
}
