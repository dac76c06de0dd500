import type { AliasState } from '../../../../cloud/facts/lambda.ts'
import { withAnalysesAt } from '../../analysis/state.ts'
import { continueNow, later, setStatus } from '../../execution/state.ts'
import type { LambdaState } from './state.ts'
import { note } from './track.ts'

/** Starts to restore the alias; `deployment.error` has the reason. */
export function rollBack(deployment: LambdaState, message: string, now: Date): LambdaState {
  const { bakeUntil: _, remainingMs: __, ...progress } = deployment.progress
  const rolling = {
    ...setStatus(withAnalysesAt(deployment, undefined, now), 'ROLLING_BACK'),
    deadlineAt: later(now, deployment.release.timeoutSeconds * 1000),
    progress: { ...progress, troubles: 0 },
  }
  return continueNow(note(rolling, 'ROLLBACK_STARTED', now, { message }), now, 'the alias to be returned')
}

/** Reports whether the alias may have moved. A shift may be in flight as soon as its first attempt is recorded. */
export const mayHaveMoved = ({ progress: { step, attempt, shifts } }: LambdaState): boolean =>
  shifts > 0 || (step === 'shift' && attempt > 0)

/** Returns the data of an observed alias. */
export const observedAliasData = (alias: AliasState, now: Date) => ({ ...alias, observedAt: now.toISOString() })
