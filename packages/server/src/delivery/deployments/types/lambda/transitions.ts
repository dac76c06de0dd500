import type { AliasState } from '../../../../cloud/facts/lambda.ts'
import { watchedAt } from '../../analysis/standing.ts'
import { goOn, later, move } from '../../execution/state.ts'
import type { LambdaStanding } from './state.ts'
import { note } from './track.ts'

/** Returns the alias to what it was; `standing.error` says why. */
export function rollBack(standing: LambdaStanding, message: string, now: Date): LambdaStanding {
  const { bakeUntil: _, remainingMs: __, ...progress } = standing.progress
  const rolling = {
    ...move(watchedAt(standing, undefined, now), 'ROLLING_BACK'),
    deadlineAt: later(now, standing.release.timeoutSeconds * 1000),
    progress: { ...progress, troubles: 0 },
  }
  return goOn(note(rolling, 'ROLLBACK_STARTED', now, { message }), now, 'the alias to be returned')
}

/** The alias may be moved from the moment the first attempt to do so was written down. */
export const mayHaveMoved = ({ progress: { step, attempt, shifts } }: LambdaStanding): boolean =>
  shifts > 0 || (step === 'shift' && attempt > 0)

/** What the data says of the alias. */
export const seen = (alias: AliasState, now: Date) => ({ ...alias, observedAt: now.toISOString() })
