import type { DeploymentStatus, UserFacingError } from '@sluice/contract'
import { present } from '../../../../platform/present.ts'
import { maxInFlightMs } from '../../execution/attempts.ts'
import { finish, later, pollAfter } from '../../execution/state.ts'
import { goTo } from '../../execution/transitions.ts'
import type { Ec2Progress } from './progress.ts'
import { credentialParameterOf } from './release.ts'
import type { Ec2State } from './state.ts'
import { note } from './track.ts'
import { waveOf } from './wave.ts'

// Instances that check out a private repository get a temporary credential while the deployment is in progress. It is
// stored in the account before a wave, renewed before it expires, and always deleted before the deployment ends.

/** Records that the credential for the wave is stored, or without `freshUntil` that none is required. */
export function onCredentialStored(deployment: Ec2State, freshUntil: Date | undefined, now: Date): Ec2State {
  const { step, attempt } = deployment.progress
  // The first of two attempts may still be in flight.
  const { lentBy } = attempt > 1 ? withCredentialAttempt(deployment.progress, now) : deployment.progress
  const { freshUntil: _, ...wave } = waveOf(deployment)
  const next = step === 'lend' ? 'send' : step
  if (!freshUntil) return goTo(deployment, next, now, { wave, ...present({ lentBy }) })
  const fresh = { ...wave, freshUntil: freshUntil.toISOString() }
  return goTo(deployment, next, now, { wave: fresh, lentBy: lentBy ?? now.toISOString() })
}

/** Reports whether instances may still read a credential that is about to expire. */
export const isCredentialExpiring = ({ step, wave }: Ec2Progress, now: Date): boolean =>
  step === 'observe' && wave?.freshUntil !== undefined && Date.parse(wave.freshUntil) <= now.getTime()

/**
 * Records that an attempt to store a credential may have taken effect, although its response was lost or is
 * outstanding.
 */
export function withCredentialAttempt(progress: Ec2Progress, now: Date): Ec2Progress {
  const { step, attempt, attemptedAt } = progress
  if (attempt === 0 || (step !== 'lend' && step !== 'observe')) return progress
  const lentBy = attemptedAt === undefined ? now : later(new Date(attemptedAt), maxInFlightMs)
  return { ...progress, lentBy: lentBy.toISOString() }
}

/** Maximum time for deleting a credential, in milliseconds. A remaining one expires by itself within the hour. */
const maxWithdrawalMs = 5 * 60_000

/** Ends the deployment after its credential is withdrawn. */
export function endAfterWithdrawal(
  deployment: Ec2State,
  status: DeploymentStatus,
  now: Date,
  error?: UserFacingError,
): Ec2State {
  const progress = withCredentialAttempt(deployment.progress, now)
  if (progress.lentBy === undefined) return finish(deployment, status, now, error)
  const deadlineAt = later(now, maxWithdrawalMs)
  return goTo({ ...deployment, progress, deadlineAt }, 'withdraw', now, { ending: { status, ...(error && { error }) } })
}

/**
 * Returns the milliseconds during which a request that stores a credential may still be in flight. A deletion before
 * that could be overwritten.
 */
export const credentialInFlightMs = ({ progress }: Ec2State, now: Date): number =>
  Math.max(0, Date.parse(progress.lentBy ?? '') - now.getTime())

export const awaitCredential = (deployment: Ec2State, now: Date): Ec2State =>
  pollAfter(
    deployment,
    now,
    credentialInFlightMs(deployment, now),
    'a credential whose writing was cut off to be there or not',
  )

/** Records that the credential is deleted. */
export function onCredentialDeleted(deployment: Ec2State, now: Date): Ec2State {
  const { ending, lentBy: _, ...progress } = deployment.progress
  if (!ending) throw new Error(`deployment ${deployment.id} does not end`)
  return finish({ ...deployment, progress }, ending.status, now, ending.error)
}

/** Gives up the deletion of the credential because the cloud rejected it for too long. */
export function giveUpCredential(deployment: Ec2State, now: Date): Ec2State {
  const name = credentialParameterOf(deployment.id, deployment.release)
  const message = `The parameter ${name} could not be deleted. What it holds expires within the hour; delete it.`
  return onCredentialDeleted(note(deployment, 'CLEAN_UP', now, { message }), now)
}
