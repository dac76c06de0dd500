import type { UserFacingError } from '@sluice/contract'
import type { AliasState } from '../../../cloud/facts/lambda.ts'
import { watchedAt } from '../analysis/standing.ts'
import { finish, goOn, later, move } from '../standing.ts'
import type { LambdaProgress, LambdaStep } from './progress.ts'
import type { LambdaStanding } from './standing.ts'
import { note } from './track.ts'

/** Goes on with a step at once. */
export function goTo(
  standing: LambdaStanding,
  step: LambdaStep,
  now: Date,
  more: Partial<LambdaProgress> = {},
): LambdaStanding {
  const progress = { ...standing.progress, ...more, step, attempt: 0, troubles: 0, quiet: 0 }
  return goOn({ ...standing, progress }, now, `the step ${step}`)
}

export const failed = (standing: LambdaStanding, error: UserFacingError, now: Date): LambdaStanding =>
  finish(note(standing, 'FAILED', now, { message: error.message }), 'ERROR', now, error)

/** Nothing is to be undone: no call has moved yet. */
export const abandoned = (standing: LambdaStanding, error: UserFacingError, now: Date): LambdaStanding =>
  finish(note(standing, 'CANCELLED', now, { message: error.message }), 'CANCELLED', now, error)

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
