import type { Command, TaskSnapshot } from '../../../../cloud/facts/ecs.ts'
import { inFlightLeftMs } from '../../execution/attempts.ts'
import { continueNow, finish, later, type PollPace, setStatus } from '../../execution/state.ts'
import { goTo, pollLater } from '../../execution/transitions.ts'
import { commandFailedBecause, timedOut } from './failures.ts'
import type { CommandProgress, EcsProgress } from './progress.ts'
import { revert } from './revert.ts'
import type { EcsState } from './state.ts'
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

/** Returns the command of the current step, and the ID by which the cloud identifies its task. */
export function commandAt({ id, release, progress }: EcsState): {
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
export function nextCommandAction({ attempt, command }: EcsProgress): CommandAction {
  if (!command?.taskArn) return command?.stop ? { do: 'find-command' } : { do: 'run-command', look: attempt > 0 }
  return { do: command.stop && !command.stop.sent ? 'stop-command' : 'watch-command' }
}

/** Records that the cloud started the command as a task. */
export function onCommandStarted(deployment: EcsState, taskArn: string, now: Date): EcsState {
  const { step } = commandAt(deployment)
  const message = `Runs as the task ${taskArn.split('/').at(-1)}.`
  const noted = note(deployment, stepCodes[step], now, { message })
  return continueNow(withCommand(noted, { taskArn, startedAt: now.toISOString() }), now, 'the command to run')
}

/** Records that the cloud does not list the command's task, which is to be stopped. The request may be in flight. */
export function onCommandNotFound(deployment: EcsState, pace: PollPace, now: Date): EcsState {
  if (inFlightLeftMs(deployment, now) === 0) return commandEnded(deployment, undefined, now)
  return pollLater(deployment, { pace, now, waitingFor: 'a command whose answer was lost to appear' })
}

/** Maximum time until a started task is listed, in milliseconds; seconds are usual. */
const maxAppearanceMs = 300_000

/** Applies the observed state of the task; undefined if the cloud does not list it. */
export function onCommandObserved(
  deployment: EcsState,
  task: TaskSnapshot | undefined,
  pace: PollPace,
  now: Date,
): EcsState {
  const { command } = commandAt(deployment)
  const { startedAt, stop } = deployment.progress.command ?? {}
  const startedAtMs = Date.parse(startedAt ?? now.toISOString())
  // A stopped task is listed for an hour only, and it is possible that no poll happened in that time.
  const isForgotten = task === undefined && (stop?.sent || now.getTime() - startedAtMs > maxAppearanceMs)
  if (task?.hasEnded || isForgotten) return commandEnded(deployment, task, now)
  const endsAt = startedAtMs + command.timeoutSeconds * 1000
  if (stop === undefined && endsAt <= now.getTime()) {
    return continueNow(
      withCommand(deployment, { stop: { because: 'timeout', sent: false } }),
      now,
      'the command to be stopped',
    )
  }
  const waiting = pollLater(deployment, { pace, now, waitingFor: stop ? 'the command to stop' : 'the command to end' })
  const wakeAt = new Date(Math.min(waiting.wakeAt?.getTime() ?? endsAt, Math.max(endsAt, now.getTime() + pace.minMs)))
  return { ...waiting, wakeAt }
}

/** Records that the cloud was asked to stop the command, or has nothing to stop. The next poll determines which. */
export function onCommandStopRequested(deployment: EcsState, now: Date): EcsState {
  const { stop } = deployment.progress.command ?? {}
  if (!stop) return deployment
  return continueNow(withCommand(deployment, { stop: { ...stop, sent: true } }), now, 'the command to stop')
}

function commandEnded(deployment: EcsState, task: TaskSnapshot | undefined, now: Date): EcsState {
  const { stop } = deployment.progress.command ?? {}
  if (stop && stop.because !== 'timeout') return endGivenUp(deployment, stop.because, now)
  if (!stop && task?.exitCode === 0) return commandPassed(deployment, now)
  return failCommand(deployment, commandFailedBecause(commandAt(deployment), task, stop !== undefined), now)
}

function commandPassed(deployment: EcsState, now: Date): EcsState {
  const { step } = commandAt(deployment)
  if (step === 'pre-deploy') return goTo(withoutCommand(deployment), 'update', now)
  const end = trackOf(deployment.release, deployment.progress).length
  return finish(reach(deployment, end, now, { message: successMessage(deployment) }), 'SUCCESS', now)
}

/**
 * Fails a command. Before the release, this ends the deployment; after it, the module decides whether the new version
 * stays.
 */
export function failCommand(deployment: EcsState, error: NonNullable<EcsState['error']>, now: Date): EcsState {
  const { message } = error
  const { step } = commandAt(deployment)
  if (deployment.status === 'ROLLING_BACK') return revert(deployment, now)
  if (step === 'post-deploy' && deployment.release.postDeploy?.failureAction === 'ROLLBACK') {
    const rolling = note({ ...setStatus(deployment, 'ROLLING_BACK'), error }, 'ROLLBACK_STARTED', now, { message })
    return revert(rolling, now)
  }
  return failed(deployment, error, now)
}

/**
 * Maximum time for a command to stop, in milliseconds: the cloud grants a task at most two minutes, and may start late.
 */
const maxStopMs = 300_000

/**
 * Gives up a deployment while its command is or may be running. Ends the command first, so that nothing overlaps with
 * it.
 */
export function giveUpCommand(
  deployment: EcsState,
  because: 'user' | 'deadline',
  error: NonNullable<EcsState['error']>,
  now: Date,
): EcsState {
  const { step } = commandAt(deployment)
  const stopping = withCommand({ ...deployment, error }, { stop: { because, sent: false } })
  if (step === 'pre-deploy') {
    return continueNow({ ...stopping, deadlineAt: later(now, maxStopMs) }, now, 'the command to be stopped')
  }
  const deadlineAt = later(now, deployment.release.timeoutSeconds * 1000)
  const rolling = { ...setStatus(stopping, 'ROLLING_BACK'), deadlineAt }
  return continueNow(
    note(rolling, 'ROLLBACK_STARTED', now, { message: error.message }),
    now,
    'the command to be stopped',
  )
}

/** Ends a given-up deployment after its command has ended, or did not in time. */
export function endGivenUp(deployment: EcsState, because: 'user' | 'deadline', now: Date): EcsState {
  if (deployment.status === 'ROLLING_BACK') return revert(deployment, now)
  const error = deployment.error ?? timedOut(deployment.release)
  return because === 'user' ? abandoned(deployment, error, now) : failed(deployment, error, now)
}

const withCommand = (deployment: EcsState, more: CommandProgress): EcsState => ({
  ...deployment,
  progress: { ...deployment.progress, troubles: 0, quiet: 0, command: { ...deployment.progress.command, ...more } },
})

function withoutCommand(deployment: EcsState): EcsState {
  const { command: _, ...progress } = deployment.progress
  return { ...deployment, progress }
}
