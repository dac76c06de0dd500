import type { TaskDefinitionRecord } from '@sluice/contract'
import { present } from '../../platform/present.ts'
import type { Progress } from '../progress.ts'
import type { EcsRelease } from '../release.ts'
import { finish, later, move, type PollPace, type Standing, wait } from '../standing.ts'
import { cancelledBy, lostSight, refusedByCloud, rollbackTimedOut, timedOut } from './errors.ts'
import { note } from './events.ts'
import type { ServiceFacts } from './snapshot.ts'

/** The one thing to do next: in the cloud, or without it (`expire`: the deadline has passed; `rest`: nothing). */
export type EcsAction = CloudAction | { do: 'expire' } | { do: 'rest' }

export type CloudAction =
  | { do: 'prepare' }
  | { do: 'register'; look: boolean }
  | { do: 'update' }
  | { do: 'find' }
  | { do: 'locate' }
  | { do: 'observe' }
  | { do: 'continue'; hookId: string }
  | { do: 'stop' }

/** Actions that change the cloud; before one of them the attempt is written down, so that a crash is noticed. */
export const changesCloud = (action: CloudAction): boolean => action.do === 'register' || action.do === 'update'

/** What a deployment that runs does next. */
export function nextAction({ status, progress, deadlineAt }: Standing, now: Date): EcsAction {
  if (status !== 'IN_PROGRESS' && status !== 'ROLLING_BACK') return { do: 'rest' }
  if (deadlineAt && deadlineAt <= now) return { do: 'expire' }
  const wasAttempted = progress.attempt > 0
  switch (progress.step) {
    case 'prepare':
      return { do: 'prepare' }
    case 'register':
      return { do: 'register', look: wasAttempted }
    case 'update':
      return { do: wasAttempted ? 'find' : 'update' }
    case 'locate':
      return { do: 'locate' }
    case 'observe':
      return nextOfRunning(progress)
  }
}

function nextOfRunning({ stop, hooks }: Progress): EcsAction {
  if (stop && !stop.sent) return { do: 'stop' }
  const decided = hooks.find((hook) => hook.state === 'continuing')
  return decided && !stop ? { do: 'continue', hookId: decided.hookId } : { do: 'observe' }
}

export const freshProgress: Progress = { step: 'prepare', attempt: 0, troubles: 0, quiet: 0, hooks: [] }

/** How long a deployment may work before it is given up: its timeout, and the times it is told to bake. */
export function workingMs(release: EcsRelease): number {
  return (release.timeoutSeconds + bakeMinutes(release) * 60) * 1000
}

function bakeMinutes({ strategy }: EcsRelease): number {
  if (strategy.type === 'rolling') return 0
  const { linear, canary, bakeTimeInMinutes } = strategy
  const steps = linear ? Math.ceil(100 / linear.stepPercent) * linear.stepBakeTimeInMinutes : 0
  return bakeTimeInMinutes + steps + (canary?.canaryBakeTimeInMinutes ?? 0)
}

/** The instance is free: the deployment starts. */
export function started(standing: Standing, now: Date): Standing {
  const begun = note(
    { ...move(standing, 'IN_PROGRESS'), startedAt: now, deadlineAt: later(now, workingMs(standing.release)) },
    'INIT',
    now,
  )
  return goOn(begun, now, 'the release to be prepared')
}

/** The attempt at the present step begins; after a crash the next one knows that it is not the first. */
export const attempted = (standing: Standing, now: Date): Standing => ({
  ...standing,
  progress: { ...standing.progress, attempt: standing.progress.attempt + 1, attemptedAt: now.toISOString() },
})

/** The attempt took effect or did not: no request of it is on its way any more. */
export function settled(standing: Standing): Standing {
  const { attemptedAt: _, ...progress } = standing.progress
  return { ...standing, progress }
}

/** The service exists, and this is what it runs. */
export function prepared(standing: Standing, facts: ServiceFacts, now: Date): Standing {
  const { primary, current, newestServiceDeploymentArn: newestBefore } = facts
  const { taskDefinition } = standing.release
  const known = {
    ...standing,
    data: { ...standing.data, ...(current ? { previousTaskDefinition: current } : {}) },
  }
  const before = present({ primaryBefore: primary, newestBefore })
  if ('reuse' in taskDefinition) {
    return goTo(known, 'update', now, { ...before, taskDefinitionArn: taskDefinition.reuse.arn })
  }
  return goTo(known, 'register', now, before)
}

/** Our task definition stands in the cloud. */
export function registered(standing: Standing, definition: TaskDefinitionRecord, now: Date): Standing {
  const message = `Registered ${nameOf(definition.arn)}.`
  const recorded = note(
    { ...standing, data: { ...standing.data, deployedTaskDefinition: definition } },
    'REGISTER_RELEASE',
    now,
    {
      message,
    },
  )
  return goTo(recorded, 'update', now, { taskDefinitionArn: definition.arn })
}

/** The service took our update as its deployment `externalDeploymentId`. */
export function updated(standing: Standing, externalDeploymentId: string, now: Date): Standing {
  const message = `The service releases ${nameOf(standing.progress.taskDefinitionArn ?? '')} as ${externalDeploymentId}.`
  return goTo(note({ ...standing, externalDeploymentId }, 'UPDATE_SERVICE', now, { message }), 'locate', now)
}

/**
 * How long after its attempt was written down an update may still be on its way: 15 s until the request is sent at the
 * latest (`freshMs` of the handlers), 10 s until it is given up (`requestTimeout` of the cloud's clients), and 5 s in the
 * cloud itself. Milliseconds.
 */
const onItsWayMs = 30_000

/** The service does not show our update: it may be on its way yet; later it is certain that it was never heard. */
export function notFound(standing: Standing, pace: PollPace, now: Date): Standing {
  const { attemptedAt, stop } = standing.progress
  const leftMs = attemptedAt === undefined ? 0 : Date.parse(attemptedAt) + onItsWayMs - now.getTime()
  if (leftMs <= 0) return stop ? neverUpdated(standing, now) : goTo(standing, 'update', now)
  const quiet = standing.progress.quiet + 1
  const waiting = { ...standing, progress: { ...standing.progress, quiet, troubles: 0 } }
  const ms = Math.min(leftMs, backOff(pace.minMs, pace.maxMs, quiet))
  return wait(waiting, now, ms, 'an update whose answer was lost to reach the service')
}

/** A cancelled deployment whose update never reached the service: there is nothing to roll back. */
function neverUpdated(standing: Standing, now: Date): Standing {
  const message = 'The service had not been changed yet.'
  return finish(note(standing, 'ROLLED_BACK', now, { message }), 'ROLLED_BACK', now)
}

/** The cloud shows the service deployment that carries out our update. */
export function located(standing: Standing, serviceDeploymentArn: string, now: Date): Standing {
  return goTo({ ...standing, data: { ...standing.data, serviceDeploymentArn } }, 'observe', now)
}

/** It does not show it yet, which is normal for some seconds. */
export function notYetLocated(standing: Standing, pace: PollPace, now: Date): Standing {
  const quiet = standing.progress.quiet + 1
  const waiting = { ...standing, progress: { ...standing.progress, quiet, troubles: 0 } }
  return wait(waiting, now, backOff(pace.minMs / 4, pace.maxMs, quiet), 'the cloud to list the service deployment')
}

/** The cloud was told to stop and roll back (or said that there is nothing to stop: the next look tells). */
export function stopSent(standing: Standing, now: Date): Standing {
  const { stop } = standing.progress
  if (!stop) return standing
  const sent = { ...standing, progress: { ...standing.progress, stop: { ...stop, sent: true }, troubles: 0 } }
  return goOn(sent, now, 'the cloud to roll back')
}

/** The deadline has passed. */
export function expired(standing: Standing, now: Date): Standing {
  const { release, status } = standing
  if (status === 'ROLLING_BACK') {
    return finish(
      note(standing, 'FAILED', now, { message: 'The rollback timed out.' }),
      'ERROR',
      now,
      rollbackTimedOut(release),
    )
  }
  const error = timedOut(release)
  if (!mayHaveChangedService(standing)) {
    return finish(note(standing, 'FAILED', now, { message: error.message }), 'ERROR', now, error)
  }
  return rollBack({ ...standing, error }, 'deadline', error.message, now)
}

/** A person cancels; undefined when the deployment is over already. Cancelling twice is cancelling once. */
export function cancelled(standing: Standing, now: Date): Standing | undefined {
  const error = cancelledBy()
  if (standing.status === 'ROLLING_BACK') return standing
  if (standing.status !== 'PENDING' && standing.status !== 'IN_PROGRESS') return undefined
  if (standing.status === 'PENDING' || !mayHaveChangedService(standing)) {
    return finish(note(standing, 'CANCELLED', now, { message: error.message }), 'CANCELLED', now, error)
  }
  return rollBack({ ...standing, error }, 'user', error.message, now)
}

/** The update may be under way from the moment its first attempt was written down. */
function mayHaveChangedService({ progress }: Standing): boolean {
  const { step, attempt } = progress
  return step === 'locate' || step === 'observe' || (step === 'update' && attempt > 0)
}

function rollBack(standing: Standing, by: 'user' | 'deadline', message: string, now: Date): Standing {
  const rolling = {
    ...move(standing, 'ROLLING_BACK'),
    deadlineAt: later(now, standing.release.timeoutSeconds * 1000),
    progress: { ...standing.progress, stop: { by, sent: false } },
  }
  return goOn(note(rolling, 'ROLLBACK_STARTED', now, { message }), now, 'the cloud to roll back')
}

/** The longest back-off from a cloud in trouble: long enough to let throttles pass, short enough to go on soon after. */
const longestTroubleMs = 10_000

/** How many failed looks in a row we bear once the release runs: with the back-off, about three minutes. */
const patience = 25

/** The cloud said no. Before the service was changed that is the end; afterwards a passing loss of rights is borne. */
export function refused(
  standing: Standing,
  refusal: { name: string; message: string },
  action: CloudAction,
  pace: PollPace,
  now: Date,
): Standing {
  const { step } = standing.progress
  // While we look for it, the update may have been heard, whatever is said now.
  const isFollowing = step === 'observe' || step === 'locate' || action.do === 'find'
  if (isFollowing && standing.progress.troubles < patience) return troubled(standing, refusal.message, pace, now)
  const error = isFollowing ? lostSight(standing.release, refusal.message) : refusedByCloud(inWords[action.do], refusal)
  return finish(note(standing, 'FAILED', now, { message: error.message }), 'ERROR', now, error)
}

const inWords: Record<CloudAction['do'], string> = {
  prepare: 'show the service',
  register: 'register the task definition',
  update: 'update the service',
  find: 'show the service',
  locate: 'show the service deployment',
  observe: 'show the service deployment',
  continue: 'continue the pause',
  stop: 'stop the release',
}

/** The cloud is busy or out of reach: try again, later each time. The deadline ends it. */
export function troubled(standing: Standing, reason: string, pace: PollPace, now: Date): Standing {
  const troubles = standing.progress.troubles + 1
  const again = { ...standing, progress: { ...standing.progress, troubles } }
  return wait(
    again,
    now,
    jitter(standing.id, troubles) * backOff(pace.minMs, longestTroubleMs, troubles),
    `the cloud to answer: ${reason}`,
  )
}

/** Goes on with the next step at once. */
function goTo(standing: Standing, step: Progress['step'], now: Date, more: Partial<Progress> = {}): Standing {
  const progress = { ...standing.progress, ...more, step, attempt: 0, troubles: 0, quiet: 0 }
  return goOn({ ...standing, progress }, now, `the step ${step}`)
}

export const goOn = (standing: Standing, now: Date, waitingFor: string): Standing => wait(standing, now, 0, waitingFor)

/** Doubles from `firstMs` to `mostMs`. */
export const backOff = (firstMs: number, mostMs: number, times: number): number =>
  Math.min(mostMs, firstMs * 2 ** Math.min(times - 1, 20))

/** Between 0.5 and 1, spread by deployment and attempt, so that those who were throttled together do not return together. */
export function jitter(id: string, attempt: number): number {
  let hash = attempt
  for (const char of id) hash = (hash * 31 + char.charCodeAt(0)) >>> 0
  return 0.5 + (hash % 1000) / 2000
}

/** `web:7` of a task definition's arn. */
const nameOf = (taskDefinitionArn: string): string => taskDefinitionArn.split('/').at(-1) ?? taskDefinitionArn
