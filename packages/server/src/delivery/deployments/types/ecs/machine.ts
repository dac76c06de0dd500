import type { TaskDefinitionRecord, UserFacingError } from '@sluice/contract'
import type { ServiceFacts } from '../../../../cloud/facts/ecs.ts'
import { present } from '../../../../platform/present.ts'
import { mustMeasure } from '../../analysis/standing.ts'
import { onItsWayLeftMs, patience, troubled } from '../../execution/attempts.ts'
import { refusedByCloud } from '../../execution/failures.ts'
import { finish, goOn, later, move, type PollPace, wait } from '../../execution/state.ts'
import { begun, bookkeepingOf, givenUpBy, goTo, lookAgain } from '../../execution/transitions.ts'
import type { Bookkeeping, CloudNo } from '../deployment-type.ts'
import { type CommandAction, commandFailed, givenUp, giveUpCommand, nextOfCommand } from './command.ts'
import { lostSight, postDeployRefused, releaseMissing, rollbackFailed, rollbackTimedOut, timedOut } from './failures.ts'
import type { EcsProgress, StopReason } from './progress.ts'
import type { EcsRelease } from './release.ts'
import { failedChecks, type Preparation, pairsToShift, releaseBlocker, warningsOf } from './service-checks.ts'
import type { EcsStanding } from './state.ts'
import { abandoned, failed, note } from './track.ts'

export type EcsAction = EcsCloudAction | Bookkeeping

export type EcsCloudAction =
  | { do: 'prepare' }
  | { do: 'register' }
  | { do: 'find-definition' }
  | { do: 'update' }
  | { do: 'find' }
  | { do: 'locate' }
  | { do: 'observe' }
  | { do: 'measure' }
  | { do: 'continue'; hookId: string }
  | { do: 'stop' }
  | CommandAction

/**
 * Reports whether an action changes the cloud. If so, the attempt is recorded before it, so that a crash can be
 * detected.
 */
export const changesCloud = (action: EcsCloudAction): boolean =>
  action.do === 'register' || action.do === 'update' || action.do === 'run-command'

const reading: readonly EcsCloudAction['do'][] = ['locate', 'observe', 'watch-command']

/** Reports whether an action only reads the cloud. */
export const onlyReads = (action: EcsCloudAction): boolean => reading.includes(action.do)

/** Returns the next action of an active deployment. */
export function nextAction(standing: EcsStanding, now: Date): EcsAction {
  const bookkeeping = bookkeepingOf(standing, now)
  if (bookkeeping) return bookkeeping
  const { progress } = standing
  const wasAttempted = progress.attempt > 0
  switch (progress.step) {
    case 'prepare':
      return { do: 'prepare' }
    case 'register':
      return { do: wasAttempted ? 'find-definition' : 'register' }
    case 'update':
      return { do: wasAttempted ? 'find' : 'update' }
    case 'locate':
      return { do: 'locate' }
    case 'observe':
      return nextOfRunning(standing, now)
    case 'pre-deploy':
    case 'post-deploy':
      return nextOfCommand(progress)
  }
}

function nextOfRunning(standing: EcsStanding, now: Date): EcsAction {
  const { stop, hooks } = standing.progress
  if (stop) return { do: stop.sent ? 'observe' : 'stop' }
  const decided = hooks.find((hook) => hook.state === 'continuing')
  if (decided) return { do: 'continue', hookId: decided.hookId }
  return { do: standing.status === 'IN_PROGRESS' && mustMeasure(standing, now) ? 'measure' : 'observe' }
}

export const freshProgress: EcsProgress = { step: 'prepare', attempt: 0, troubles: 0, quiet: 0, hooks: [] }

/** Returns the milliseconds until a deployment times out: its timeout, those of its commands, and its bake times. */
export function workingMs(release: EcsRelease): number {
  const { timeoutSeconds, preDeploy, postDeploy } = release
  const commandSeconds = (preDeploy?.timeoutSeconds ?? 0) + (postDeploy?.timeoutSeconds ?? 0)
  return (timeoutSeconds + commandSeconds + bakeMinutes(release) * 60) * 1000
}

function bakeMinutes({ strategy }: EcsRelease): number {
  if (strategy.type === 'rolling') return 0
  const { linear, canary, bakeTimeInMinutes } = strategy
  const steps = linear ? Math.ceil(100 / linear.stepPercent) * linear.stepBakeTimeInMinutes : 0
  return bakeTimeInMinutes + steps + (canary?.canaryBakeTimeInMinutes ?? 0)
}

/** Starts the deployment. */
export const started = (standing: EcsStanding, now: Date): EcsStanding =>
  begun(standing, workingMs(standing.release), now, note)

/** Applies the state of the service, which exists. */
export function prepared(standing: EcsStanding, facts: Preparation, pace: PollPace, now: Date): EcsStanding {
  if (returnsToWhatRuns(standing, facts)) return alreadyRuns(standing, facts, pace, now)
  const { primary, current, newestServiceDeploymentArn: newestBefore } = facts
  const { taskDefinition } = standing.release
  const looked = {
    ...standing,
    data: { ...standing.data, ...(current ? { previousTaskDefinition: current } : {}) },
  }
  const missing = facts.missing && releaseMissing(standing, facts.missing)
  const blocker = missing ?? releaseBlocker(standing.release, facts) ?? failedChecks(facts)
  if (blocker) return failed(looked, blocker, now)
  const known = warningsOf(standing.release, facts).reduce(
    (so, message) => note(so, 'WARNING', now, { message }),
    looked,
  )
  const shiftedPairs = pairsToShift(standing.release, facts)
  const before = present({ primaryBefore: primary, newestBefore, shiftedPairs })
  if (facts.isDeregistered) return registerAgain({ ...known, progress: { ...known.progress, ...before } }, now)
  if ('reuse' in taskDefinition) {
    return goTo(known, stepBeforeUpdate(standing), now, { ...before, taskDefinitionArn: taskDefinition.reuse.arn })
  }
  return goTo(known, 'register', now, before)
}

/** Registers the definition of a deregistered revision as a new revision. Lifecycle rules may have deregistered it. */
export const registerAgain = (standing: EcsStanding, now: Date): EcsStanding =>
  goTo(standing, 'register', now, { isRegisteringAgain: true })

/** Returns the step after the registration: the command, if there is one, precedes the update of the service. */
const stepBeforeUpdate = ({ release }: EcsStanding) => (release.preDeploy ? 'pre-deploy' : 'update')

/**
 * Reports whether a rollback leads to what the service runs already: after the cloud's own rollback, or a concurrent
 * rollback.
 */
function returnsToWhatRuns(
  { release: { isRollback, taskDefinition } }: EcsStanding,
  { primary }: ServiceFacts,
): boolean {
  return isRollback === true && 'reuse' in taskDefinition && primary?.taskDefinitionArn === taskDefinition.reuse.arn
}

/** Ends a rollback to the running release without a change. Waits for a service deployment in progress. */
function alreadyRuns(standing: EcsStanding, facts: ServiceFacts, pace: PollPace, now: Date): EcsStanding {
  const { primary, isSettled, newestServiceDeploymentArn: serviceDeploymentArn } = facts
  if (!isSettled) {
    return lookAgain(standing, { pace, now, waitingFor: 'the cloud to put the release back' })
  }
  const message = `The service runs ${nameOf(primary?.taskDefinitionArn ?? '')} again: nothing more is to be released.`
  const data = { ...standing.data, ...present({ serviceDeploymentArn }) }
  const known = { ...standing, data, externalDeploymentId: primary?.id ?? null }
  return finish(note(known, 'COMPLETED', now, { message }), 'SUCCESS', now)
}

/** Records that the task definition is registered. */
export function registered(standing: EcsStanding, definition: TaskDefinitionRecord, now: Date): EcsStanding {
  const { data, progress } = standing
  const { isReverting, isRegisteringAgain } = progress
  const before = recordToRelease(standing)
  const message =
    isRegisteringAgain && before
      ? `${nameOf(before.arn)} was deregistered. Registered its definition again as ${nameOf(definition.arn)}.`
      : `Registered ${nameOf(definition.arn)}.`
  const recorded = isReverting ? { previousTaskDefinition: definition } : { deployedTaskDefinition: definition }
  const known = note({ ...standing, data: { ...data, ...recorded } }, 'REGISTER_RELEASE', now, { message })
  const next = isReverting ? 'update' : stepBeforeUpdate(standing)
  return goTo(known, next, now, { taskDefinitionArn: definition.arn })
}

/** Returns the record of the revision that the service will run, if there is one. */
export const recordToRelease = ({ data, progress }: EcsStanding): TaskDefinitionRecord | undefined =>
  progress.isReverting ? data.previousTaskDefinition : data.deployedTaskDefinition

/**
 * Records that the cloud does not list the task definition. The request may be in flight; after some time it is certain
 * that the cloud did not receive it.
 */
export function definitionNotFound(standing: EcsStanding, pace: PollPace, now: Date): EcsStanding {
  const leftMs = onItsWayLeftMs(standing, now)
  if (leftMs === 0) return attemptAgain(standing, now)
  const waitingFor = 'a task definition whose answer was lost to be listed'
  return lookAgain(standing, { pace, now, waitingFor, mostMs: leftMs })
}

/** Resets the attempts of the step, but not the transient errors, which determine the delay. */
const attemptAgain = (standing: EcsStanding, now: Date): EcsStanding =>
  goOn({ ...standing, progress: { ...standing.progress, attempt: 0 } }, now, `the step ${standing.progress.step}`)

/**
 * Records that the service accepted the update as its deployment `externalDeploymentId`, which the cloud lists shortly
 * after.
 */
export function updated(standing: EcsStanding, externalDeploymentId: string, pace: PollPace, now: Date): EcsStanding {
  const { isReverting, taskDefinitionArn = '' } = standing.progress
  const known = isReverting
    ? { ...standing, data: { ...standing.data, revertExternalDeploymentId: externalDeploymentId } }
    : note({ ...standing, externalDeploymentId }, 'UPDATE_SERVICE', now, {
        message: `The service releases ${nameOf(taskDefinitionArn)} as ${externalDeploymentId}.`,
      })
  return wait(goTo(known, 'locate', now), now, pace.minMs, untilListed)
}

/** Reason of the wait: the service deployment is listed seconds later, with an event. */
const untilListed = 'the cloud to list the service deployment'

/**
 * Records that the service does not show the update. The request may be in flight; after some time it is certain that
 * the cloud did not receive it.
 */
export function notFound(standing: EcsStanding, pace: PollPace, now: Date): EcsStanding {
  const leftMs = onItsWayLeftMs(standing, now)
  if (leftMs === 0) return standing.progress.stop ? neverUpdated(standing, now) : attemptAgain(standing, now)
  const waitingFor = 'an update whose answer was lost to reach the service'
  return lookAgain(standing, { pace, now, waitingFor, mostMs: leftMs })
}

/** Ends a cancelled deployment whose update the service never received, so that there is nothing to roll back. */
function neverUpdated(standing: EcsStanding, now: Date): EcsStanding {
  const message = 'The service had not been changed yet.'
  return finish(note(standing, 'ROLLED_BACK', now, { message }), 'ROLLED_BACK', now)
}

/** Records that the cloud lists the service deployment of the update. */
export function located(standing: EcsStanding, serviceDeploymentArn: string, now: Date): EcsStanding {
  const arn = standing.progress.isReverting
    ? { revertServiceDeploymentArn: serviceDeploymentArn }
    : { serviceDeploymentArn }
  return goTo({ ...standing, data: { ...standing.data, ...arn } }, 'observe', now)
}

/** Records that the cloud does not list the service deployment yet, which is normal for some seconds. */
export const notYetLocated = (standing: EcsStanding, pace: PollPace, now: Date): EcsStanding =>
  lookAgain(standing, { pace, now, waitingFor: untilListed })

/** Records that the cloud was asked to stop and roll back, or has nothing to stop. The next poll finds out. */
export function stopSent(standing: EcsStanding, now: Date): EcsStanding {
  const { stop } = standing.progress
  if (!stop) return standing
  const sent = { ...standing, progress: { ...standing.progress, stop: { ...stop, sent: true }, troubles: 0 } }
  return goOn(sent, now, 'the cloud to roll back')
}

/** Applies the expiry of the deadline. */
export function expired(standing: EcsStanding, now: Date): EcsStanding {
  const { release, status } = standing
  const { stop } = standing.progress.command ?? {}
  if (stop && stop.because !== 'timeout' && status === 'IN_PROGRESS') return givenUp(standing, stop.because, now)
  if (status === 'ROLLING_BACK') {
    return finish(
      note(standing, 'FAILED', now, { message: 'The rollback timed out.' }),
      'ERROR',
      now,
      rollbackTimedOut(release),
    )
  }
  const error = timedOut(release)
  if (mayRunCommand(standing)) return giveUpCommand(standing, 'deadline', error, now)
  if (!mayHaveChangedService(standing)) {
    return failed(standing, error, now)
  }
  return rollBack({ ...standing, error }, 'deadline', error.message, now)
}

/** Cancels the deployment on behalf of a user; returns undefined if it has ended. Idempotent. */
export const cancelled = (standing: EcsStanding, now: Date, error: UserFacingError): EcsStanding | undefined =>
  givenUpBy(standing, (given) => {
    if (mayRunCommand(given)) {
      return given.progress.command?.stop?.because === 'user' ? given : giveUpCommand(given, 'user', error, now)
    }
    if (given.status === 'PENDING' || !mayHaveChangedService(given)) return abandoned(given, error, now)
    return rollBack({ ...given, error }, 'user', error.message, now)
  })

/**
 * Reports whether the service may have changed. The update may be in flight as soon as its first attempt is recorded.
 */
function mayHaveChangedService({ progress }: EcsStanding): boolean {
  const { step, attempt } = progress
  return step === 'locate' || step === 'observe' || (step === 'update' && attempt > 0)
}

/**
 * Reports whether a command may be running: as soon as its first attempt is recorded, and always for the one after the
 * release.
 */
const mayRunCommand = ({ progress: { step, attempt } }: EcsStanding): boolean =>
  step === 'post-deploy' || (step === 'pre-deploy' && attempt > 0)

/** Starts the rollback; the next action asks the cloud for it. */
export function rollBack(standing: EcsStanding, by: StopReason, message: string, now: Date): EcsStanding {
  const rolling = {
    ...move(standing, 'ROLLING_BACK'),
    deadlineAt: later(now, standing.release.timeoutSeconds * 1000),
    data: { ...standing.data, revertRequestedAt: now.toISOString() },
    progress: { ...standing.progress, stop: { by, sent: false } },
  }
  return goOn(note(rolling, 'ROLLBACK_STARTED', now, { message }), now, 'the cloud to roll back')
}

/**
 * Applies a permanent error of the cloud. Before the service was changed it ends the deployment; afterwards it is
 * retried in case a permission is restored.
 */
export function refused(
  standing: EcsStanding,
  refusal: CloudNo,
  action: EcsCloudAction,
  pace: PollPace,
  now: Date,
): EcsStanding {
  const isFollowing = following.includes(action.do)
  if (isFollowing && standing.progress.troubles < patience) return troubled(standing, refusal.message, pace, now)
  if (standing.progress.step === 'post-deploy') return commandFailed(standing, postDeployRefused(refusal.message), now)
  return failed(standing, finalRefusal(standing, refusal, action, isFollowing), now)
}

function finalRefusal(standing: EcsStanding, refusal: CloudNo, action: EcsCloudAction, wasFollowed: boolean) {
  if (wasFollowed) return lostSight(standing.release, refusal.message)
  return standing.progress.isReverting
    ? rollbackFailed(standing, refusal.message)
    : refusedByCloud(inWords[action.do], refusal)
}

/** Actions that follow a change that may have taken effect in the cloud. A rejected read does not end them. */
const following: EcsCloudAction['do'][] = [
  'find',
  'locate',
  'observe',
  'measure',
  'continue',
  'stop',
  'find-command',
  'watch-command',
  'stop-command',
]

const inWords: Record<EcsCloudAction['do'], string> = {
  prepare: 'show the service',
  register: 'register the task definition',
  update: 'update the service',
  'find-definition': 'show the task definition',
  find: 'show the service',
  locate: 'show the service deployment',
  observe: 'show the service deployment',
  measure: 'show the service deployment',
  continue: 'continue the pause',
  stop: 'stop the release',
  'run-command': 'run the command',
  'find-command': 'show the command',
  'watch-command': 'show the command',
  'stop-command': 'stop the command',
}

/** Returns the family and revision of a task definition ARN, such as `web:7`. */
const nameOf = (taskDefinitionArn: string): string => taskDefinitionArn.split('/').at(-1) ?? taskDefinitionArn
