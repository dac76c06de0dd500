import type { DeploymentStatus, UserFacingError } from '@sluice/contract'
import { present } from '../../../../platform/present.ts'
import { onItsWayMs } from '../../execution/attempts.ts'
import { finish, later, wait } from '../../execution/state.ts'
import { goTo } from '../../execution/transitions.ts'
import type { Ec2Progress } from './progress.ts'
import { credentialParameterOf } from './release.ts'
import type { Ec2Standing } from './state.ts'
import { note } from './track.ts'
import { waveOf } from './wave.ts'

// Instances that check out a private repository are lent a credential for as long as the deployment runs: it is written
// down in the account before a wave, again before it expires, and deleted before the deployment ends, however it ends.

/** The credential for the wave is written down, or, without `freshUntil`, it takes none. */
export function lent(standing: Ec2Standing, freshUntil: Date | undefined, now: Date): Ec2Standing {
  const { step, attempt } = standing.progress
  // Of two attempts the first may still be on its way.
  const { lentBy } = attempt > 1 ? withAttemptToLend(standing.progress, now) : standing.progress
  const { freshUntil: _, ...wave } = waveOf(standing)
  const next = step === 'lend' ? 'send' : step
  if (!freshUntil) return goTo(standing, next, now, { wave, ...present({ lentBy }) })
  const fresh = { ...wave, freshUntil: freshUntil.toISOString() }
  return goTo(standing, next, now, { wave: fresh, lentBy: lentBy ?? now.toISOString() })
}

/** Whether instances may still come to read a credential that is about to expire. */
export const isStale = ({ step, wave }: Ec2Progress, now: Date): boolean =>
  step === 'observe' && wave?.freshUntil !== undefined && Date.parse(wave.freshUntil) <= now.getTime()

/** With what an attempt to lend may have left: its answer was lost, or is not there yet. */
export function withAttemptToLend(progress: Ec2Progress, now: Date): Ec2Progress {
  const { step, attempt, attemptedAt } = progress
  if (attempt === 0 || (step !== 'lend' && step !== 'observe')) return progress
  const lentBy = attemptedAt === undefined ? now : later(new Date(attemptedAt), onItsWayMs)
  return { ...progress, lentBy: lentBy.toISOString() }
}

/** How long withdrawing is tried: what is left expires by itself within the hour. Milliseconds. */
const withdrawalMs = 5 * 60_000

/** Ends the deployment, after what was lent is withdrawn. */
export function end(standing: Ec2Standing, status: DeploymentStatus, now: Date, error?: UserFacingError): Ec2Standing {
  const progress = withAttemptToLend(standing.progress, now)
  if (progress.lentBy === undefined) return finish(standing, status, now, error)
  const deadlineAt = later(now, withdrawalMs)
  return goTo({ ...standing, progress, deadlineAt }, 'withdraw', now, { ending: { status, ...(error && { error }) } })
}

/** How long a request that lends may still be on its way: withdrawn before it, it would stay. Milliseconds. */
export const untilLentMs = ({ progress }: Ec2Standing, now: Date): number =>
  Math.max(0, Date.parse(progress.lentBy ?? '') - now.getTime())

export const awaitLent = (standing: Ec2Standing, now: Date): Ec2Standing =>
  wait(standing, now, untilLentMs(standing, now), 'a credential whose writing was cut off to be there or not')

/** Nothing is lent any more. */
export function withdrawn(standing: Ec2Standing, now: Date): Ec2Standing {
  const { ending, lentBy: _, ...progress } = standing.progress
  if (!ending) throw new Error(`deployment ${standing.id} does not end`)
  return finish({ ...standing, progress }, ending.status, now, ending.error)
}

/** The cloud did not let us withdraw it for so long. */
export function leftBehind(standing: Ec2Standing, now: Date): Ec2Standing {
  const name = credentialParameterOf(standing.id, standing.release)
  const message = `The parameter ${name} could not be deleted. What it holds expires within the hour; delete it.`
  return withdrawn(note(standing, 'CLEAN_UP', now, { message }), now)
}
