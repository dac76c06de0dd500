import type { PauseLabel } from '@sluice/contract'
import type { Notes } from '../execution/events.ts'
import { continuePause } from '../execution/pauses.ts'
import type { Hook } from '../execution/progress.ts'
import type { Standing } from '../execution/state.ts'
import { analysisFailed } from './failures.ts'
import { linesOf, type Measurement } from './machine.ts'
import { measured } from './standing.ts'

/** How a type of deployment does what its checks say. */
export type Reactions<S extends Standing> = {
  note: Notes<S>['note']
  /** What is agreed to by going on from a pause. */
  labelOf: (standing: S, hook: Hook) => PauseLabel
  /** Turns the release back; `standing.error` says why. */
  rollBack: (standing: S, message: string, now: Date) => S
}

/** Acts on the measurements: goes on from the pause, leaves it to a person, or turns the release back. */
export function act<S extends Standing>(
  standing: S,
  measurements: readonly Measurement[],
  now: Date,
  { note, labelOf, rollBack }: Reactions<S>,
): S {
  const { standing: after, analysis } = measured(standing, measurements, now)
  const where = analysis?.lifecycleStage === undefined ? '' : ` at ${analysis.lifecycleStage}`
  switch (analysis?.action) {
    case 'CONTINUE': {
      const decision = continuePause(after, { hookId: analysis.hookId, by: 'the checks' }, labelOf, now)
      if (decision.verdict !== 'accepted') return after
      const message = [`Every check is good${where}: the release goes on.`, ...withoutData(measurements)].join('\n')
      return note(decision.standing, 'ANALYSIS', now, { message })
    }
    case 'HOLD':
      return note(after, 'ANALYSIS', now, {
        message: [`The checks${where} could not tell: a person must decide.`, ...linesOf(analysis)].join('\n'),
      })
    case 'ROLLBACK': {
      const error = analysisFailed(analysis)
      const noted = note(after, 'ANALYSIS', now, { message: linesOf(analysis).join('\n') })
      return rollBack({ ...noted, error }, error.message, now)
    }
    default:
      return after
  }
}

/** Those that were taken for good, or for bad, without having been measured. */
const withoutData = (measurements: readonly Measurement[]): string[] =>
  measurements.flatMap(({ check, message, hasNoData }) => (hasNoData ? [`${check}: ${message}`] : []))
