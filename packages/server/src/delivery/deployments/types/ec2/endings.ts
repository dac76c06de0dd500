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

/** It failed before any instance can have changed. */
export const failedAtOnce = failed

/** It failed on its way: the instances return to the release before if the module asks for that. */
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

/** The deadline has passed. */
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
 * A person gives it up: cancels it, or whatever `error` says. Undefined when it is over, but for what was lent. Doing
 * so twice is doing so once.
 */
export function cancelled(standing: Ec2Standing, now: Date, error: UserFacingError): Ec2Standing | undefined {
  if (standing.progress.ending) return undefined
  return givenUpBy(standing, (given) => {
    if (given.status === 'IN_PROGRESS' && mayHaveChangedInstances(given)) return turnBack(given, 'user', error, now)
    return end(note(given, 'CANCELLED', now, { message: error.message }), 'CANCELLED', now, error)
  })
}

/** A command may be under way from the moment its first attempt was written down. */
function mayHaveChangedInstances({ progress }: Ec2Standing): boolean {
  const { step, attempt, wave } = progress
  return wave !== undefined && (wave.commandId !== undefined || wave.number > 1 || (step === 'send' && attempt > 0))
}

/** A command that brings the new release is under way, or may be. */
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

/** No command brings the new release any more: the instances that have it are returned, as far as there are any. */
export function returning(standing: Ec2Standing, now: Date): Ec2Standing {
  const { back } = standing.progress
  const mustReturn = begunOf(standing).length > 0 || back?.restore
  if (mustReturn && !standing.data.previousRelease) return failed(standing, nothingToReturnTo(standing), now)
  return goTo(standing, back?.restore ? 'publish' : 'look', now)
}

/** Every instance that had begun is returned, is gone, or cannot be returned. */
export function returned(standing: Ec2Standing, now: Date): Ec2Standing {
  const left = notReturned(standing)
  if (left.length > 0) return returnEnded(standing, returnFailed(standing), now)
  if (standing.progress.back?.by === 'failure') return returnEnded(standing, undefined, now)
  const count = begunOf(standing).length
  const message = count === 0 ? 'No instance had been changed yet.' : `${count} instances run the release before again.`
  return end(note(standing, 'ROLLED_BACK', now, { message }), 'ROLLED_BACK', now)
}

/** A deployment that failed stays failed, with its own error, whatever became of its way back. */
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

/** The cloud said no. A passing loss of rights is borne while we only look; a change that is refused ends it. */
export function refused(
  standing: Ec2Standing,
  refusal: CloudNo,
  action: Ec2CloudAction,
  pace: PollPace,
  now: Date,
): Ec2Standing {
  const { progress, release } = standing
  if (action.do === 'lend') return lendingRefused(standing, refusedByCloud(inWords.lend, refusal), now)
  // Its deadline ends it.
  if (progress.ending || standing.status === 'ROLLING_BACK') return troubled(standing, refusal.message, pace, now)
  if (action.do === 'send' || action.do === 'publish') {
    return gaveUp(standing, refusedByCloud(inWords[action.do], refusal), now)
  }
  if (!mayHaveChangedInstances(standing)) return failed(standing, refusedByCloud(inWords[action.do], refusal), now)
  if (progress.troubles < patience) return troubled(standing, refusal.message, pace, now)
  return failed(standing, lostSight(release, refusal.message), now)
}

/**
 * Nothing was lent. A command that runs goes on, and so does the way back: whether the instances can do without, they
 * show by themselves.
 */
export function lendingRefused(standing: Ec2Standing, error: UserFacingError, now: Date): Ec2Standing {
  const { progress, status } = standing
  if (progress.step === 'observe' || status === 'ROLLING_BACK') return lent(standing, undefined, now)
  const isFirst = progress.attempt <= 1 // an attempt before this one may still be on its way
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
