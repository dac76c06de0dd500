import type { AutomaticRollback, UserFacingError } from '@sluice/contract'
import { patience, troubled } from '../../execution/attempts.ts'
import { refusedByCloud } from '../../execution/failures.ts'
import { goOn, later, move, type PollPace } from '../../execution/state.ts'
import { givenUpBy, goTo } from '../../execution/transitions.ts'
import type { CloudNo } from '../deployment-type.ts'
import { lostSight, nothingToReturnTo, returnFailed, rollbackTimedOut, timedOut } from './failures.ts'
import { begunOf, instancesOf, notReturned, returnCounts } from './instances.ts'
import { end, leftBehind, lent, withAttemptToLend } from './loan.ts'
import type { Ec2CloudAction } from './machine.ts'
import type { Ec2Progress } from './progress.ts'
import type { Ec2Standing } from './state.ts'
import { note, reach, trackOf } from './track.ts'

export function succeeded(standing: Ec2Standing, now: Date): Ec2Standing {
  const running = instancesOf(standing).filter(({ status }) => status === 'SUCCESS').length
  const message = `${running} of ${instancesOf(standing).length} instances run the new release.`
  return end(reach(standing, trackOf().length, now, { message }), 'SUCCESS', now)
}

const failed = (standing: Ec2Standing, error: UserFacingError, now: Date): Ec2Standing =>
  end(note(standing, 'FAILED', now, { message: error.message }), 'ERROR', now, error)

/** Fails a deployment before any instance can have changed. */
export const failedAtOnce = failed

/** Fails a deployment after instances may have changed. Rolls the instances back if the module says so. */
export function gaveUp(standing: Ec2Standing, error: UserFacingError, now: Date): Ec2Standing {
  const { release, data } = standing
  if (begunOf(standing).length === 0) return failed(standing, error, now)
  if (!release.automaticRollback) {
    return failed(considered(standing, 'The module version does not ask for it.'), error, now)
  }
  if (!data.previousRelease) {
    return failed(considered(standing, 'No earlier release is known to which to return.'), error, now)
  }
  const { previousRelease } = data
  const triggered = setRollback(standing, {
    decision: 'TRIGGERED',
    reason: error.message,
    release: previousRelease,
    status: 'IN_PROGRESS',
  })
  return turnBack(triggered, 'failure', error, now)
}

const considered = (standing: Ec2Standing, reason: string): Ec2Standing =>
  setRollback(standing, { decision: 'CONSIDERED', reason })

const setRollback = (standing: Ec2Standing, automaticRollback: AutomaticRollback): Ec2Standing => ({
  ...standing,
  data: { ...standing.data, automaticRollback },
})

/** Applies the expiry of the deadline. */
export function expired(standing: Ec2Standing, now: Date): Ec2Standing {
  if (standing.progress.ending) return leftBehind(standing, now)
  if (standing.status === 'ROLLING_BACK') {
    const error = rollbackTimedOut(standing.release)
    return returnEnded(standing, error, now)
  }
  const error = timedOut(standing.release)
  if (!mayHaveChangedInstances(standing)) return failed(standing, error, now)
  return turnBack(standing, 'deadline', error, now)
}

/**
 * Cancels the deployment on behalf of a user, for the reason `error`. Returns undefined if all that is left is to
 * withdraw the credential. Idempotent.
 */
export function cancelled(standing: Ec2Standing, now: Date, error: UserFacingError): Ec2Standing | undefined {
  if (standing.progress.ending) return undefined
  return givenUpBy(standing, (given) => {
    if (given.status === 'IN_PROGRESS' && mayHaveChangedInstances(given)) return turnBack(given, 'user', error, now)
    return end(note(given, 'CANCELLED', now, { message: error.message }), 'CANCELLED', now, error)
  })
}

/** Reports whether instances may have changed. A command may be in flight as soon as its first attempt is recorded. */
function mayHaveChangedInstances({ progress }: Ec2Standing): boolean {
  const { step, attempt, wave } = progress
  return wave !== undefined && (wave.commandId !== undefined || wave.number > 1 || (step === 'send' && attempt > 0))
}

/** Reports whether a command that brings the new release may be running. */
function mayBeReleasing({ step, attempt, wave }: Ec2Progress): boolean {
  if (wave?.purpose !== 'release') return false
  return step === 'observe' || (step === 'send' && attempt > 0)
}

function turnBack(
  standing: Ec2Standing,
  by: NonNullable<Ec2Progress['back']>['by'],
  error: UserFacingError,
  now: Date,
): Ec2Standing {
  const { progress } = standing
  const restore = progress.isPublished || (progress.step === 'publish' && progress.attempt > 0)
  const rolling = {
    ...move(standing, 'ROLLING_BACK'),
    error,
    deadlineAt: later(now, standing.release.timeoutSeconds * 1000),
    progress: { ...withAttemptToLend(progress, now), back: { by, restore } },
  }
  const noted = note(rolling, 'ROLLBACK_STARTED', now, { message: error.message })
  if (mayBeReleasing(progress)) return goOn(noted, now, 'the remote command to end')
  return returning(noted, now)
}

/** Rolls back the instances that have the new release, if any. No command may bring the new release at this point. */
export function returning(standing: Ec2Standing, now: Date): Ec2Standing {
  const { back } = standing.progress
  const mustReturn = begunOf(standing).length > 0 || back?.restore
  if (mustReturn && !standing.data.previousRelease) return failed(standing, nothingToReturnTo(standing), now)
  return goTo(standing, back?.restore ? 'publish' : 'look', now)
}

/** Ends a rollback after every changed instance was rolled back, is gone, or cannot be rolled back. */
export function returned(standing: Ec2Standing, now: Date): Ec2Standing {
  const left = notReturned(standing)
  if (left.length > 0) return returnEnded(standing, returnFailed(standing), now)
  if (standing.progress.back?.by === 'failure') return returnEnded(standing, undefined, now)
  const count = begunOf(standing).length
  const message = count === 0 ? 'No instance had been changed yet.' : `${count} instances run the release before again.`
  return end(note(standing, 'ROLLED_BACK', now, { message }), 'ROLLED_BACK', now)
}

/** Ends a rollback. A failed deployment stays failed with its own error, regardless of the rollback's result. */
function returnEnded(standing: Ec2Standing, error: UserFacingError | undefined, now: Date): Ec2Standing {
  const { automaticRollback } = standing.data
  if (!automaticRollback || !standing.error) return failed(standing, error ?? returnFailed(standing), now)
  const ended = setRollback(standing, {
    ...automaticRollback,
    ...(error && { reason: error.message }),
    status: error ? 'ERROR' : 'SUCCESS',
    instances: returnCounts(standing),
  })
  return failed(ended, standing.error, now)
}

/**
 * Applies a permanent error of the cloud. Reads are retried in case a permission is restored; a rejected change ends
 * the deployment.
 */
export function refused(
  standing: Ec2Standing,
  refusal: CloudNo,
  action: Ec2CloudAction,
  pace: PollPace,
  now: Date,
): Ec2Standing {
  const { progress, release } = standing
  if (action.do === 'lend') return lendingRefused(standing, refusedByCloud(inWords.lend, refusal), now)
  // The deadline ends the retries.
  if (progress.ending || standing.status === 'ROLLING_BACK') return troubled(standing, refusal.message, pace, now)
  if (action.do === 'send' || action.do === 'publish') {
    return gaveUp(standing, refusedByCloud(inWords[action.do], refusal), now)
  }
  if (!mayHaveChangedInstances(standing)) return failed(standing, refusedByCloud(inWords[action.do], refusal), now)
  if (progress.troubles < patience) return troubled(standing, refusal.message, pace, now)
  return failed(standing, lostSight(release, refusal.message), now)
}

/**
 * Applies a refusal to grant repository access. A running command continues, and so does a rollback: the instances show
 * whether they can do without.
 */
export function lendingRefused(standing: Ec2Standing, error: UserFacingError, now: Date): Ec2Standing {
  const { progress, status } = standing
  if (progress.step === 'observe' || status === 'ROLLING_BACK') return lent(standing, undefined, now)
  const isFirst = progress.attempt <= 1 // an earlier attempt may still be in flight
  return gaveUp(isFirst ? { ...standing, progress: { ...progress, attempt: 0 } } : standing, error, now)
}

const inWords: Record<Ec2CloudAction['do'], string> = {
  prepare: 'show the group',
  look: 'show the group',
  lend: 'write down the credential for the repository',
  send: 'send the remote command',
  find: 'list its remote commands',
  observe: 'show the remote command',
  stop: 'cancel the remote command',
  publish: 'write down the release for instances that start later',
  withdraw: 'delete the credential for the repository',
}
