import type { PauseLabel } from '@sluice/contract'
import type { EventRecorder } from '../execution/events.ts'
import { continueAfterPause } from '../execution/pauses.ts'
import type { Hook } from '../execution/progress.ts'
import type { DeploymentState } from '../execution/state.ts'
import { analysisFailed } from './failures.ts'
import { linesOf, type Measurement } from './machine.ts'
import { applyMeasurements } from './state.ts'

/** Operations of a deployment type that apply the outcome of an analysis. */
export type Reactions<S extends DeploymentState> = {
  note: EventRecorder<S>['note']
  /** Returns the label of the pause that the analysis approves by continuing the release. */
  labelOf: (deployment: S, hook: Hook) => PauseLabel
  /** Starts the rollback of the release; `deployment.error` has the reason. */
  rollBack: (deployment: S, message: string, now: Date) => S
}

/**
 * Applies the outcome of an analysis: ends the pause so that the release continues, leaves the decision to a user, or
 * rolls back the release.
 */
export function applyOutcome<S extends DeploymentState>(
  deployment: S,
  measurements: readonly Measurement[],
  now: Date,
  { note, labelOf, rollBack }: Reactions<S>,
): S {
  const { deployment: after, analysis } = applyMeasurements(deployment, measurements, now)
  const where = analysis?.lifecycleStage === undefined ? '' : ` at ${analysis.lifecycleStage}`
  switch (analysis?.action) {
    case 'CONTINUE': {
      const decision = continueAfterPause(after, { hookId: analysis.hookId, by: 'the checks' }, labelOf, now)
      if (decision.verdict !== 'accepted') return after
      const message = [`Every check is good${where}: the release continues.`, ...withoutData(measurements)].join('\n')
      return note(decision.deployment, 'ANALYSIS', now, { message })
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

/** Names of the checks that had no data and count as successful or failed because the module says so. */
const withoutData = (measurements: readonly Measurement[]): string[] =>
  measurements.flatMap(({ check, message, hasNoData }) => (hasNoData ? [`${check}: ${message}`] : []))
