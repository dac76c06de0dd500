import type { Command, TaskSnapshot } from '../../../../cloud/facts/ecs.ts'
import { onItsWayLeftMs } from '../../execution/attempts.ts'
import { finish, goOn, later, move, type PollPace } from '../../execution/state.ts'
import { goTo, lookAgain } from '../../execution/transitions.ts'
import { commandFailedBecause, timedOut } from './failures.ts'
import type { CommandProgress, EcsProgress } from './progress.ts'
import { revert } from './revert.ts'
import type { EcsStanding } from './state.ts'
import { successMessage } from './success-message.ts'
import { abandoned, failed, note, reach, trackOf } from './track.ts'

export type CommandAction =
  | { do: 'run-command'; look: boolean }
  | { do: 'find-command' }
  | { do: 'watch-command' }
  | { do: 'stop-command' }

type CommandStep = 'pre-deploy' | 'post-deploy'

const isCommandStep = (step: EcsProgress['step']): step is CommandStep =>
  step === 'pre-deploy' || step === 'post-deploy'

const stepCodes = { 'pre-deploy': 'PRE_DEPLOY', 'post-deploy': 'POST_DEPLOY' } as const

/** Returns the command of the current step, and the name by which the cloud identifies its task. */
export function commandAt({ id, release, progress }: EcsStanding): {
  step: CommandStep
  command: Command
  name: string
} {
  const { step } = progress
  const command = step === 'pre-deploy' ? release.preDeploy : step === 'post-deploy' ? release.postDeploy : undefined
  if (!isCommandStep(step) || !command) throw new Error(`deployment ${id} has no command at the step ${step}`)
  return { step, command, name: `${id}/${step}` }
}

/** Returns the next action of a step with a command. */
export function nextOfCommand({ attempt, command }: EcsProgress): CommandAction {
  if (!command?.taskArn) return command?.stop ? { do: 'find-command' } : { do: 'run-command', look: attempt > 0 }
  return { do: command.stop && !command.stop.sent ? 'stop-command' : 'watch-command' }
}

/** Records that the cloud started the command as a task. */
export function commandRuns(standing: EcsStanding, taskArn: string, now: Date): EcsStanding {
  const { step } = commandAt(standing)
  const message = `Runs as the task ${taskArn.split('/').at(-1)}.`
  const noted = note(standing, stepCodes[step], now, { message })
  return goOn(withCommand(noted, { taskArn, startedAt: now.toISOString() }), now, 'the command to run')
}

/** Records that the cloud does not list the command's task, which is to be stopped. The request may be in flight. */
export function commandNotFound(standing: EcsStanding, pace: PollPace, now: Date): EcsStanding {
  if (onItsWayLeftMs(standing, now) === 0) return commandEnded(standing, undefined, now)
  return lookAgain(standing, { pace, now, waitingFor: 'a command whose answer was lost to appear' })
}

/** Maximum time until a started task is listed, in milliseconds; seconds are usual. */
const appearsWithinMs = 300_000

/** Applies the observed state of the task; undefined if the cloud does not list it. */
export function commandSeen(
  standing: EcsStanding,
  task: TaskSnapshot | undefined,
  pace: PollPace,
  now: Date,
): EcsStanding {
  const { command } = commandAt(standing)
  const { startedAt, stop } = standing.progress.command ?? {}
  const startedAtMs = Date.parse(startedAt ?? now.toISOString())
  // A stopped task is listed for an hour, during which no poll may have happened.
  const isForgotten = task === undefined && (stop?.sent || now.getTime() - startedAtMs > appearsWithinMs)
  if (task?.hasEnded || isForgotten) return commandEnded(standing, task, now)
  const endsAt = startedAtMs + command.timeoutSeconds * 1000
  if (stop === undefined && endsAt <= now.getTime()) {
    return goOn(withCommand(standing, { stop: { because: 'timeout', sent: false } }), now, 'the command to be stopped')
  }
  const waiting = lookAgain(standing, { pace, now, waitingFor: stop ? 'the command to stop' : 'the command to end' })
  const wakeAt = new Date(Math.min(waiting.wakeAt?.getTime() ?? endsAt, Math.max(endsAt, now.getTime() + pace.minMs)))
  return { ...waiting, wakeAt }
}

/** Records that the cloud was asked to stop the command, or has nothing to stop. The next poll finds out. */
export function commandStopSent(standing: EcsStanding, now: Date): EcsStanding {
  const { stop } = standing.progress.command ?? {}
  if (!stop) return standing
  return goOn(withCommand(standing, { stop: { ...stop, sent: true } }), now, 'the command to stop')
}

function commandEnded(standing: EcsStanding, task: TaskSnapshot | undefined, now: Date): EcsStanding {
  const { stop } = standing.progress.command ?? {}
  if (stop && stop.because !== 'timeout') return givenUp(standing, stop.because, now)
  if (!stop && task?.exitCode === 0) return commandPassed(standing, now)
  return commandFailed(standing, commandFailedBecause(commandAt(standing), task, stop !== undefined), now)
}

function commandPassed(standing: EcsStanding, now: Date): EcsStanding {
  const { step } = commandAt(standing)
  if (step === 'pre-deploy') return goTo(withoutCommand(standing), 'update', now)
  const end = trackOf(standing.release).length
  return finish(reach(standing, end, now, { message: successMessage(standing) }), 'SUCCESS', now)
}

/**
 * Fails a command. Before the release, this ends the deployment; after it, the module decides whether the new version
 * stays.
 */
export function commandFailed(standing: EcsStanding, error: NonNullable<EcsStanding['error']>, now: Date): EcsStanding {
  const { message } = error
  const { step } = commandAt(standing)
  if (standing.status === 'ROLLING_BACK') return revert(standing, now)
  if (step === 'post-deploy' && standing.release.postDeploy?.failureAction === 'ROLLBACK') {
    const rolling = note({ ...move(standing, 'ROLLING_BACK'), error }, 'ROLLBACK_STARTED', now, { message })
    return revert(rolling, now)
  }
  return failed(standing, error, now)
}

/**
 * Maximum time for a command to stop, in milliseconds: the cloud grants a task at most two minutes, and may start late.
 */
const stopMs = 300_000

/**
 * Gives up a deployment while its command is or may be running. Ends the command first, so that nothing overlaps with
 * it.
 */
export function giveUpCommand(
  standing: EcsStanding,
  because: 'user' | 'deadline',
  error: NonNullable<EcsStanding['error']>,
  now: Date,
): EcsStanding {
  const { step } = commandAt(standing)
  const stopping = withCommand({ ...standing, error }, { stop: { because, sent: false } })
  if (step === 'pre-deploy') {
    return goOn({ ...stopping, deadlineAt: later(now, stopMs) }, now, 'the command to be stopped')
  }
  const deadlineAt = later(now, standing.release.timeoutSeconds * 1000)
  const rolling = { ...move(stopping, 'ROLLING_BACK'), deadlineAt }
  return goOn(note(rolling, 'ROLLBACK_STARTED', now, { message: error.message }), now, 'the command to be stopped')
}

/** Ends a given-up deployment after its command has ended, or did not in time. */
export function givenUp(standing: EcsStanding, because: 'user' | 'deadline', now: Date): EcsStanding {
  if (standing.status === 'ROLLING_BACK') return revert(standing, now)
  const error = standing.error ?? timedOut(standing.release)
  return because === 'user' ? abandoned(standing, error, now) : failed(standing, error, now)
}

const withCommand = (standing: EcsStanding, more: CommandProgress): EcsStanding => ({
  ...standing,
  progress: { ...standing.progress, troubles: 0, quiet: 0, command: { ...standing.progress.command, ...more } },
})

function withoutCommand(standing: EcsStanding): EcsStanding {
  const { command: _, ...progress } = standing.progress
  return { ...standing, progress }
}
