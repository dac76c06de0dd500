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

/** The steps at which a command runs. */
type CommandStep = 'pre-deploy' | 'post-deploy'

const isCommandStep = (step: EcsProgress['step']): step is CommandStep =>
  step === 'pre-deploy' || step === 'post-deploy'

const stepCodes = { 'pre-deploy': 'PRE_DEPLOY', 'post-deploy': 'POST_DEPLOY' } as const

/** The command of the step at which the deployment stands, and the name by which the cloud knows its task. */
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

/** What comes next at a step with a command. */
export function nextOfCommand({ attempt, command }: EcsProgress): CommandAction {
  if (!command?.taskArn) return command?.stop ? { do: 'find-command' } : { do: 'run-command', look: attempt > 0 }
  return { do: command.stop && !command.stop.sent ? 'stop-command' : 'watch-command' }
}

/** The cloud took the command as a task. */
export function commandRuns(standing: EcsStanding, taskArn: string, now: Date): EcsStanding {
  const { step } = commandAt(standing)
  const message = `Runs as the task ${taskArn.split('/').at(-1)}.`
  const noted = note(standing, stepCodes[step], now, { message })
  return goOn(withCommand(noted, { taskArn, startedAt: now.toISOString() }), now, 'the command to run')
}

/** The cloud does not show a task of the command that is to be stopped: it may be on its way yet. */
export function commandNotFound(standing: EcsStanding, pace: PollPace, now: Date): EcsStanding {
  if (onItsWayLeftMs(standing, now) === 0) return commandEnded(standing, undefined, now)
  return lookAgain(standing, { pace, now, waitingFor: 'a command whose answer was lost to appear' })
}

/** So long a task that was just started may not be shown yet; seconds are usual. */
const appearsWithinMs = 300_000

/** Takes in what the cloud shows of the task; undefined: nothing. */
export function commandSeen(
  standing: EcsStanding,
  task: TaskSnapshot | undefined,
  pace: PollPace,
  now: Date,
): EcsStanding {
  const { command } = commandAt(standing)
  const { startedAt, stop } = standing.progress.command ?? {}
  const startedAtMs = Date.parse(startedAt ?? now.toISOString())
  // An ended task is shown for an hour, in which nothing may have looked.
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

/** The cloud was told to stop the command, or has nothing to stop any more: the next look tells. */
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

/** Before the release that is the end; after it the module says whether the new version stays. */
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

/** How long a command may take to stop: two minutes are the most that the cloud grants a task, and it starts late. */
const stopMs = 300_000

/**
 * The deployment is given up while its command runs, or may: first the command ends, so that nothing overlaps with it.
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

/** The command of a deployment that was given up has ended, or did not in time. */
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
