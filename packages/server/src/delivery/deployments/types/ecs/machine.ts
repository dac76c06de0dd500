import type { TaskDefinitionRecord, UserFacingError } from '@sluice/contract'
import type { ServiceFacts } from '../../../../cloud/facts/ecs.ts'
import { present } from '../../../../platform/present.ts'
import { mustMeasure } from '../../analysis/state.ts'
import { inFlightLeftMs, maxRejections, retryLater } from '../../execution/attempts.ts'
import { refusedByCloud } from '../../execution/failures.ts'
import { continueNow, finish, later, type PollPace, pollAfter, setStatus } from '../../execution/state.ts'
import { bookkeepingOf, cancelWith, goTo, pollLater, startDeployment } from '../../execution/transitions.ts'
import type { Bookkeeping, CloudRejection } from '../deployment-type.ts'
import { type CommandAction, endGivenUp, failCommand, giveUpCommand, nextCommandAction } from './command.ts'
import {
  observationRejected,
  postDeployRefused,
  releaseMissing,
  rollbackFailed,
  rollbackTimedOut,
  timedOut,
} from './failures.ts'
import type { EcsProgress, StopReason } from './progress.ts'
import type { EcsRelease } from './release.ts'
import { failedChecks, type Preparation, pairsToShift, releaseBlocker, warningsOf } from './service-checks.ts'
import type { EcsState } from './state.ts'
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
export function nextAction(deployment: EcsState, now: Date): EcsAction {
  const bookkeeping = bookkeepingOf(deployment, now)
  if (bookkeeping) return bookkeeping
  const { progress } = deployment
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
      return nextOfRunning(deployment, now)
    case 'pre-deploy':
    case 'post-deploy':
      return nextCommandAction(progress)
  }
}

function nextOfRunning(deployment: EcsState, now: Date): EcsAction {
  const { stop, hooks } = deployment.progress
  if (stop) return { do: stop.sent ? 'observe' : 'stop' }
  const decided = hooks.find((hook) => hook.state === 'continuing')
  if (decided) return { do: 'continue', hookId: decided.hookId }
  return { do: deployment.status === 'IN_PROGRESS' && mustMeasure(deployment, now) ? 'measure' : 'observe' }
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
export const start = (deployment: EcsState, now: Date): EcsState =>
  startDeployment(deployment, workingMs(deployment.release), now, note)

/** Applies the state of the service, which exists. */
export function onPrepared(deployment: EcsState, facts: Preparation, pace: PollPace, now: Date): EcsState {
  if (isRollbackToRunningRelease(deployment, facts)) return endAsRunning(deployment, facts, pace, now)
  const { primary, current, newestServiceDeploymentArn: newestBefore } = facts
  const { taskDefinition } = deployment.release
  const looked = {
    ...deployment,
    data: { ...deployment.data, ...(current ? { previousTaskDefinition: current } : {}) },
  }
  const missing = facts.missing && releaseMissing(deployment, facts.missing)
  const blocker = missing ?? releaseBlocker(deployment.release, facts) ?? failedChecks(facts)
  if (blocker) return failed(looked, blocker, now)
  const known = warningsOf(deployment.release, facts).reduce(
    (so, message) => note(so, 'WARNING', now, { message }),
    looked,
  )
  const shiftedPairs = pairsToShift(deployment.release, facts)
  const watchesServiceAlarms = (facts.alarmNames ?? []).length > 0 || undefined
  const before = present({ primaryBefore: primary, newestBefore, shiftedPairs, watchesServiceAlarms })
  if (facts.isDeregistered) return registerAgain({ ...known, progress: { ...known.progress, ...before } }, now)
  if ('reuse' in taskDefinition) {
    return goTo(known, stepBeforeUpdate(deployment), now, { ...before, taskDefinitionArn: taskDefinition.reuse.arn })
  }
  return goTo(known, 'register', now, before)
}

/** Registers the definition of a deregistered revision as a new revision. Lifecycle rules may have deregistered it. */
export const registerAgain = (deployment: EcsState, now: Date): EcsState =>
  goTo(deployment, 'register', now, { isRegisteringAgain: true })

/** Returns the step after the registration: the command, if there is one, precedes the update of the service. */
const stepBeforeUpdate = ({ release }: EcsState) => (release.preDeploy ? 'pre-deploy' : 'update')

/**
 * Reports whether a rollback leads to what the service runs already: after the cloud's own rollback, or a concurrent
 * rollback.
 */
function isRollbackToRunningRelease(
  { release: { isRollback, taskDefinition } }: EcsState,
  { primary }: ServiceFacts,
): boolean {
  return isRollback === true && 'reuse' in taskDefinition && primary?.taskDefinitionArn === taskDefinition.reuse.arn
}

/** Ends a rollback to the running release without a change. Waits for a service deployment in progress. */
function endAsRunning(deployment: EcsState, facts: ServiceFacts, pace: PollPace, now: Date): EcsState {
  const { primary, isSettled, newestServiceDeploymentArn: serviceDeploymentArn } = facts
  if (!isSettled) {
    return pollLater(deployment, { pace, now, waitingFor: 'the cloud to put the release back' })
  }
  const message = `The service runs ${nameOf(primary?.taskDefinitionArn ?? '')} again: nothing more is to be released.`
  const data = { ...deployment.data, ...present({ serviceDeploymentArn }) }
  const known = { ...deployment, data, externalDeploymentId: primary?.id ?? null }
  return finish(note(known, 'COMPLETED', now, { message }), 'SUCCESS', now)
}

/** Records that the task definition is registered. */
export function onRegistered(deployment: EcsState, definition: TaskDefinitionRecord, now: Date): EcsState {
  const { data, progress } = deployment
  const { isReverting, isRegisteringAgain } = progress
  const before = recordToRelease(deployment)
  const message =
    isRegisteringAgain && before
      ? `${nameOf(before.arn)} was deregistered. Registered its definition again as ${nameOf(definition.arn)}.`
      : `Registered ${nameOf(definition.arn)}.`
  const recorded = isReverting ? { previousTaskDefinition: definition } : { deployedTaskDefinition: definition }
  // A revert comes after the steps of the release, so its registration is not one of them.
  const stepCode = isReverting ? 'WARNING' : 'REGISTER_RELEASE'
  const known = note({ ...deployment, data: { ...data, ...recorded } }, stepCode, now, { message })
  const next = isReverting ? 'update' : stepBeforeUpdate(deployment)
  return goTo(known, next, now, { taskDefinitionArn: definition.arn })
}

/** Returns the record of the revision that the service will run, if there is one. */
export const recordToRelease = ({ data, progress }: EcsState): TaskDefinitionRecord | undefined =>
  progress.isReverting ? data.previousTaskDefinition : data.deployedTaskDefinition

/**
 * Records that the cloud does not list the task definition. The request may be in flight; after some time it is certain
 * that the cloud did not receive it.
 */
export function onDefinitionNotFound(deployment: EcsState, pace: PollPace, now: Date): EcsState {
  const leftMs = inFlightLeftMs(deployment, now)
  if (leftMs === 0) return attemptAgain(deployment, now)
  const waitingFor = 'a task definition whose answer was lost to be listed'
  return pollLater(deployment, { pace, now, waitingFor, mostMs: leftMs })
}

/** Resets the attempts of the step, but not the transient errors, which determine the delay. */
const attemptAgain = (deployment: EcsState, now: Date): EcsState =>
  continueNow(
    { ...deployment, progress: { ...deployment.progress, attempt: 0 } },
    now,
    `the step ${deployment.progress.step}`,
  )

/**
 * Records that the service accepted the update as its deployment `externalDeploymentId`, which the cloud lists shortly
 * after.
 */
export function onUpdateAccepted(
  deployment: EcsState,
  externalDeploymentId: string,
  pace: PollPace,
  now: Date,
): EcsState {
  const { isReverting, taskDefinitionArn = '' } = deployment.progress
  const known = isReverting
    ? { ...deployment, data: { ...deployment.data, revertExternalDeploymentId: externalDeploymentId } }
    : note({ ...deployment, externalDeploymentId }, 'UPDATE_SERVICE', now, {
        message: `The service releases ${nameOf(taskDefinitionArn)} as ${externalDeploymentId}.`,
      })
  return pollAfter(goTo(known, 'locate', now), now, pace.minMs, untilListed)
}

/** Reason of the wait: the service deployment is listed seconds later, with an event. */
const untilListed = 'the cloud to list the service deployment'

/**
 * Records that the service does not show the update. The request may be in flight; after some time it is certain that
 * the cloud did not receive it.
 */
export function onUpdateNotFound(deployment: EcsState, pace: PollPace, now: Date): EcsState {
  const leftMs = inFlightLeftMs(deployment, now)
  if (leftMs === 0) return deployment.progress.stop ? endUnchanged(deployment, now) : attemptAgain(deployment, now)
  const waitingFor = 'an update whose answer was lost to reach the service'
  return pollLater(deployment, { pace, now, waitingFor, mostMs: leftMs })
}

/** Ends a cancelled deployment whose update the service never received, so that there is nothing to roll back. */
function endUnchanged(deployment: EcsState, now: Date): EcsState {
  const message = 'The service had not been changed yet.'
  return finish(note(deployment, 'ROLLED_BACK', now, { message }), 'ROLLED_BACK', now)
}

/** Records that the cloud lists the service deployment of the update. */
export function onLocated(deployment: EcsState, serviceDeploymentArn: string, now: Date): EcsState {
  const arn = deployment.progress.isReverting
    ? { revertServiceDeploymentArn: serviceDeploymentArn }
    : { serviceDeploymentArn }
  return goTo({ ...deployment, data: { ...deployment.data, ...arn } }, 'observe', now)
}

/** Records that the cloud does not list the service deployment yet, which is normal for some seconds. */
export const onNotLocated = (deployment: EcsState, pace: PollPace, now: Date): EcsState =>
  pollLater(deployment, { pace, now, waitingFor: untilListed })

/** Records that the cloud was asked to stop and roll back, or has nothing to stop. The next poll finds out. */
export function onStopRequested(deployment: EcsState, now: Date): EcsState {
  const { stop } = deployment.progress
  if (!stop) return deployment
  const sent = { ...deployment, progress: { ...deployment.progress, stop: { ...stop, sent: true }, troubles: 0 } }
  return continueNow(sent, now, 'the cloud to roll back')
}

/** Handles an expired deadline. */
export function onDeadline(deployment: EcsState, now: Date): EcsState {
  const { release, status } = deployment
  const { stop } = deployment.progress.command ?? {}
  if (stop && stop.because !== 'timeout' && status === 'IN_PROGRESS') return endGivenUp(deployment, stop.because, now)
  if (status === 'ROLLING_BACK') {
    return finish(
      note(deployment, 'FAILED', now, { message: 'The rollback timed out.' }),
      'ERROR',
      now,
      rollbackTimedOut(release),
    )
  }
  const error = timedOut(release)
  if (mayRunCommand(deployment)) return giveUpCommand(deployment, 'deadline', error, now)
  if (!mayHaveChangedService(deployment)) {
    return failed(deployment, error, now)
  }
  return rollBack({ ...deployment, error }, 'deadline', error.message, now)
}

/** Cancels the deployment on behalf of a user; returns undefined if it has ended. Idempotent. */
export const cancel = (deployment: EcsState, now: Date, error: UserFacingError): EcsState | undefined =>
  cancelWith(deployment, (given) => {
    if (mayRunCommand(given)) {
      return given.progress.command?.stop?.because === 'user' ? given : giveUpCommand(given, 'user', error, now)
    }
    if (given.status === 'PENDING' || !mayHaveChangedService(given)) return abandoned(given, error, now)
    return rollBack({ ...given, error }, 'user', error.message, now)
  })

/**
 * Reports whether the service may have changed. The update may be in flight as soon as its first attempt is recorded.
 */
function mayHaveChangedService({ progress }: EcsState): boolean {
  const { step, attempt } = progress
  return step === 'locate' || step === 'observe' || (step === 'update' && attempt > 0)
}

/**
 * Reports whether a command may be running: the one before the release as soon as its first attempt is recorded, the
 * one after the release during its whole step.
 */
const mayRunCommand = ({ progress: { step, attempt } }: EcsState): boolean =>
  step === 'post-deploy' || (step === 'pre-deploy' && attempt > 0)

/** Marks the rollback as started; the next action requests it from the cloud. */
export function rollBack(deployment: EcsState, by: StopReason, message: string, now: Date): EcsState {
  const rolling = {
    ...setStatus(deployment, 'ROLLING_BACK'),
    deadlineAt: later(now, deployment.release.timeoutSeconds * 1000),
    data: { ...deployment.data, revertRequestedAt: now.toISOString() },
    progress: { ...deployment.progress, stop: { by, sent: false } },
  }
  return continueNow(note(rolling, 'ROLLBACK_STARTED', now, { message }), now, 'the cloud to roll back')
}

/**
 * Applies a permanent error of the cloud. Before the service was changed it ends the deployment; afterwards it is
 * retried in case a permission is restored.
 */
export function onRejected(
  deployment: EcsState,
  rejection: CloudRejection,
  action: EcsCloudAction,
  pace: PollPace,
  now: Date,
): EcsState {
  const isFollowing = followUpActions.includes(action.do)
  if (isFollowing && deployment.progress.troubles < maxRejections)
    return retryLater(deployment, rejection.message, pace, now)
  if (deployment.progress.step === 'post-deploy')
    return failCommand(deployment, postDeployRefused(rejection.message), now)
  return failed(deployment, finalRejection(deployment, rejection, action, isFollowing), now)
}

function finalRejection(deployment: EcsState, rejection: CloudRejection, action: EcsCloudAction, wasFollowed: boolean) {
  if (wasFollowed) return observationRejected(deployment.release, rejection.message)
  return deployment.progress.isReverting
    ? rollbackFailed(deployment, rejection.message)
    : refusedByCloud(inWords[action.do], rejection)
}

/** Actions that follow a change that may have taken effect in the cloud. A rejected read does not end them. */
const followUpActions: EcsCloudAction['do'][] = [
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
