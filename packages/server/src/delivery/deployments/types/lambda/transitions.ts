import type { AliasState } from '../../../../cloud/facts/lambda.ts'
import { watchedAt } from '../../analysis/standing.ts'
import { goOn, later, move } from '../../execution/state.ts'
import type { LambdaStanding } from './state.ts'
import { note } from './track.ts'

/** Starts to restore the alias; `standing.error` has the reason. */
export function rollBack(standing: LambdaStanding, message: string, now: Date): LambdaStanding {
  const { bakeUntil: _, remainingMs: __, ...progress } = standing.progress
  const rolling = {
    ...move(watchedAt(standing, undefined, now), 'ROLLING_BACK'),
    deadlineAt: later(now, standing.release.timeoutSeconds * 1000),
    progress: { ...progress, troubles: 0 },
  }
  return goOn(note(rolling, 'ROLLBACK_STARTED', now, { message }), now, 'the alias to be returned')
}

/** Reports whether the alias may have moved. A shift may be in flight as soon as its first attempt is recorded. */
export const mayHaveMoved = ({ progress: { step, attempt, shifts } }: LambdaStanding): boolean =>
  shifts > 0 || (step === 'shift' && attempt > 0)

/** Returns the data of an observed alias. */
export const seen = (alias: AliasState, now: Date) => ({ ...alias, observedAt: now.toISOString() })
