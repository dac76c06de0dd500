import type { AutomaticRollback, UserFacingError } from '@sluice/contract'
import { maxRejections, retryLater } from '../../execution/attempts.ts'
import { refusedByCloud } from '../../execution/failures.ts'
import { continueNow, later, type PollPace, setStatus } from '../../execution/state.ts'
import { cancelWith, goTo } from '../../execution/transitions.ts'
import type { CloudRejection } from '../deployment-type.ts'
import { endAfterWithdrawal, giveUpCredential, onCredentialStored, withCredentialAttempt } from './credential.ts'
import { nothingToReturnTo, observationRejected, returnFailed, rollbackTimedOut, timedOut } from './failures.ts'
import { instancesOf, notReturned, returnCounts, startedInstances } from './instances.ts'
import type { Ec2CloudAction } from './machine.ts'
import type { Ec2Progress } from './progress.ts'
import type { Ec2State } from './state.ts'
import { note, reach, trackOf } from './track.ts'

export function succeeded(deployment: Ec2State, now: Date): Ec2State {
  const running = instancesOf(deployment).filter(({ status }) => status === 'SUCCESS').length
  const message = `${running} of ${instancesOf(deployment).length} instances run the new release.`
  return endAfterWithdrawal(reach(deployment, trackOf().length, now, { message }), 'SUCCESS', now)
}

const failed = (deployment: Ec2State, error: UserFacingError, now: Date): Ec2State =>
  endAfterWithdrawal(note(deployment, 'FAILED', now, { message: error.message }), 'ERROR', now, error)

/** Fails a deployment before any instance can have changed. */
export const failBeforeChange = failed

/** Fails a deployment after instances may have changed. Rolls the instances back if the module says so. */
export function failAfterChange(deployment: Ec2State, error: UserFacingError, now: Date): Ec2State {
  const { release, data } = deployment
  if (startedInstances(deployment).length === 0) return failed(deployment, error, now)
  if (!release.automaticRollback) {
    return failed(considered(deployment, 'The module version does not require it.'), error, now)
  }
  if (!data.previousRelease) {
    return failed(considered(deployment, 'No earlier release is known to which to return.'), error, now)
  }
  const { previousRelease } = data
  const triggered = setRollback(deployment, {
    decision: 'TRIGGERED',
    reason: error.message,
    release: previousRelease,
    status: 'IN_PROGRESS',
  })
  return turnBack(triggered, 'failure', error, now)
}

const considered = (deployment: Ec2State, reason: string): Ec2State =>
  setRollback(deployment, { decision: 'CONSIDERED', reason })

const setRollback = (deployment: Ec2State, automaticRollback: AutomaticRollback): Ec2State => ({
  ...deployment,
  data: { ...deployment.data, automaticRollback },
})

/** Applies the expiry of the deadline. */
export function onDeadline(deployment: Ec2State, now: Date): Ec2State {
  if (deployment.progress.ending) return giveUpCredential(deployment, now)
  if (deployment.status === 'ROLLING_BACK') {
    const error = rollbackTimedOut(deployment.release)
    return endRollback(deployment, error, now)
  }
  const error = timedOut(deployment.release)
  if (!mayHaveChangedInstances(deployment)) return failed(deployment, error, now)
  return turnBack(deployment, 'deadline', error, now)
}

/**
 * Cancels the deployment on behalf of a user, for the reason `error`. Returns undefined if all that is left is to
 * withdraw the credential. Idempotent.
 */
export function cancel(deployment: Ec2State, now: Date, error: UserFacingError): Ec2State | undefined {
  if (deployment.progress.ending) return undefined
  return cancelWith(deployment, (given) => {
    if (given.status === 'IN_PROGRESS' && mayHaveChangedInstances(given)) return turnBack(given, 'user', error, now)
    return endAfterWithdrawal(note(given, 'CANCELLED', now, { message: error.message }), 'CANCELLED', now, error)
  })
}

/** Reports whether instances may have changed. A command may be in flight as soon as its first attempt is recorded. */
function mayHaveChangedInstances({ progress }: Ec2State): boolean {
  const { step, attempt, wave } = progress
  return wave !== undefined && (wave.commandId !== undefined || wave.number > 1 || (step === 'send' && attempt > 0))
}

/** Reports whether a command that brings the new release may be running. */
function mayBeReleasing({ step, attempt, wave }: Ec2Progress): boolean {
  if (wave?.purpose !== 'release') return false
  return step === 'observe' || (step === 'send' && attempt > 0)
}

function turnBack(
  deployment: Ec2State,
  by: NonNullable<Ec2Progress['back']>['by'],
  error: UserFacingError,
  now: Date,
): Ec2State {
  const { progress } = deployment
  const restore = progress.isPublished || (progress.step === 'publish' && progress.attempt > 0)
  const rolling = {
    ...setStatus(deployment, 'ROLLING_BACK'),
    error,
    deadlineAt: later(now, deployment.release.timeoutSeconds * 1000),
    progress: { ...withCredentialAttempt(progress, now), back: { by, restore } },
  }
  const noted = note(rolling, 'ROLLBACK_STARTED', now, { message: error.message })
  if (mayBeReleasing(progress)) return continueNow(noted, now, 'the remote command to end')
  return rollBackInstances(noted, now)
}

/** Rolls back the instances that have the new release, if any. No command may bring the new release at this point. */
export function rollBackInstances(deployment: Ec2State, now: Date): Ec2State {
  const { back } = deployment.progress
  const mustReturn = startedInstances(deployment).length > 0 || back?.restore
  if (mustReturn && !deployment.data.previousRelease) return failed(deployment, nothingToReturnTo(deployment), now)
  return goTo(deployment, back?.restore ? 'publish' : 'look', now)
}

/** Ends a rollback once every changed instance has been rolled back, is gone, or cannot be rolled back. */
export function onInstancesRolledBack(deployment: Ec2State, now: Date): Ec2State {
  const left = notReturned(deployment)
  if (left.length > 0) return endRollback(deployment, returnFailed(deployment), now)
  if (deployment.progress.back?.by === 'failure') return endRollback(deployment, undefined, now)
  const count = startedInstances(deployment).length
  const message = count === 0 ? 'No instance had been changed yet.' : `${count} instances run the release before again.`
  return endAfterWithdrawal(note(deployment, 'ROLLED_BACK', now, { message }), 'ROLLED_BACK', now)
}

/** Ends a rollback. A failed deployment stays failed with its own error, regardless of the rollback's result. */
function endRollback(deployment: Ec2State, error: UserFacingError | undefined, now: Date): Ec2State {
  const { automaticRollback } = deployment.data
  if (!automaticRollback || !deployment.error) return failed(deployment, error ?? returnFailed(deployment), now)
  const ended = setRollback(deployment, {
    ...automaticRollback,
    ...(error && { reason: error.message }),
    status: error ? 'ERROR' : 'SUCCESS',
    instances: returnCounts(deployment),
  })
  return failed(ended, deployment.error, now)
}

/**
 * Applies a permanent error of the cloud. Reads are retried in case a permission is restored; a rejected change ends
 * the deployment.
 */
export function onRejected(
  deployment: Ec2State,
  rejection: CloudRejection,
  action: Ec2CloudAction,
  pace: PollPace,
  now: Date,
): Ec2State {
  const { progress, release } = deployment
  if (action.do === 'lend') return onAccessRefused(deployment, refusedByCloud(inWords.lend, rejection), now)
  // The deadline ends the retries.
  if (progress.ending || deployment.status === 'ROLLING_BACK')
    return retryLater(deployment, rejection.message, pace, now)
  if (action.do === 'send' || action.do === 'publish') {
    return failAfterChange(deployment, refusedByCloud(inWords[action.do], rejection), now)
  }
  if (!mayHaveChangedInstances(deployment))
    return failed(deployment, refusedByCloud(inWords[action.do], rejection), now)
  if (progress.troubles < maxRejections) return retryLater(deployment, rejection.message, pace, now)
  return failed(deployment, observationRejected(release, rejection.message), now)
}

/**
 * Applies a refusal to grant repository access. A running command continues, and so does a rollback: the instances show
 * whether they can do without.
 */
export function onAccessRefused(deployment: Ec2State, error: UserFacingError, now: Date): Ec2State {
  const { progress, status } = deployment
  if (progress.step === 'observe' || status === 'ROLLING_BACK') return onCredentialStored(deployment, undefined, now)
  const isFirst = progress.attempt <= 1 // an earlier attempt may still be in flight
  return failAfterChange(isFirst ? { ...deployment, progress: { ...progress, attempt: 0 } } : deployment, error, now)
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
