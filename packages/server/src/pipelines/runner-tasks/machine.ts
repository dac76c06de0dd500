import type { UserFacingError } from '@sluice/contract'
import type { Outcome } from '@sluice/contract/runner-protocol'
import { lost, type ObservedTask, taskEnded, taskNotStarted, taskTooLate } from './failures.ts'
import type { RunnerTaskRow } from './tables.ts'

/** State of the task's attempt. */
export type AttemptState = 'under way' | 'to stop' | 'over'

/** Input for a decision about a task. */
export type TaskSituation = { task: RunnerTaskRow; attempt: AttemptState; stepName: string; now: Date }

/** Decision about a task, in the order of execution. */
export type RunnerTaskDecision = {
  /** Reason for stopping the task. */
  stop?: string
  /** Result of the attempt. */
  outcome?: Outcome
  next: RunnerTaskRow
}

/** Maximum time between the end of an attempt and the end of its task, in milliseconds. */
const maxEndDelayMs = 60_000
/** Interval in milliseconds after which a stop is requested again; the cloud grants a task 2 minutes. */
const stopAgainMs = 150_000

const failed = (error: UserFacingError): Outcome => ({ status: 'ERROR', error })
const stopped: Outcome = { status: 'CANCELLED' }

const ended = (task: RunnerTaskRow): RunnerTaskRow => ({ ...task, status: 'ENDED', wakeAt: null })

/** Decides about a task that does not exist in the cloud: whether to start it. */
export function decideUnstarted({ task, attempt, stepName, now }: TaskSituation): RunnerTaskDecision | 'start' {
  if (attempt === 'over') return { next: ended(task) }
  if (attempt === 'to stop') return { outcome: stopped, next: ended(task) }
  if (now >= task.deadlineAt) return { outcome: failed(taskTooLate(stepName, task)), next: ended(task) }
  return 'start'
}

/** Maximum time in milliseconds to look for the task of an ended attempt while the cloud does not respond. */
const maxSearchMs = 86_400_000

/** Decides while the cloud does not respond. The attempt of a task that may not have started can end anyway. */
export function decideUnobserved(stand: TaskSituation): RunnerTaskDecision {
  const { task, attempt, now } = stand
  if (attempt === 'over' && now.getTime() - task.deadlineAt.getTime() > maxSearchMs) return { next: ended(task) }
  if (task.status !== 'STARTING') return { next: task }
  const decision = decideUnstarted(stand)
  if (decision === 'start') return { next: task }
  return task.place === null ? decision : { ...decision, next: task }
}

/** Applies the cloud's rejection of the start. */
export const onStartRejected = ({ task, stepName }: TaskSituation, reason: string): RunnerTaskDecision => ({
  outcome: failed(taskNotStarted(stepName, { reason })),
  next: ended(task),
})

/** Decides about a started task by its observed state; undefined if the cloud does not list it any more. */
export function decideObserved(stand: TaskSituation, seen: ObservedTask | undefined): RunnerTaskDecision {
  const { task, attempt, stepName, now } = stand
  if (!seen) return attempt === 'over' ? { next: ended(task) } : { outcome: failed(lost(stepName)), next: ended(task) }
  if (seen.hasEnded) return ending(stand, seen)
  const isClaimed = task.claimedAt !== null
  if (attempt === 'over') return farewell(stand)
  // The runner of a leased attempt is told by the API to stop its program.
  if (attempt === 'to stop' && !isClaimed) return { ...stopping(stand, 'The step was stopped.'), outcome: stopped }
  if (isClaimed || now < task.deadlineAt) return { next: task }
  const outcome = failed(taskTooLate(stepName, task, seen))
  return { ...stopping(stand, 'The runner did not come in time.'), outcome }
}

function ending({ task, attempt, stepName }: TaskSituation, seen: ObservedTask): RunnerTaskDecision {
  const next = ended(task)
  if (attempt === 'over') return { next }
  if (attempt === 'to stop') return { outcome: stopped, next }
  const error = task.claimedAt === null ? taskNotStarted(stepName, seen) : taskEnded(stepName, seen)
  return { outcome: failed(error), next }
}

function farewell(stand: TaskSituation): RunnerTaskDecision {
  const { task, now } = stand
  const overAt = task.overAt ?? now
  const isPatient = task.claimedAt !== null && now.getTime() - overAt.getTime() < maxEndDelayMs
  if (isPatient) return { next: { ...task, overAt } }
  return stopping({ ...stand, task: { ...task, overAt } }, 'The step is over.')
}

function stopping({ task, now }: TaskSituation, stop: string): RunnerTaskDecision {
  const isAsked = task.stopRequestedAt !== null && now.getTime() - task.stopRequestedAt.getTime() < stopAgainMs
  return isAsked ? { next: task } : { stop, next: { ...task, stopRequestedAt: now } }
}

/** Returns the milliseconds until the next poll, doubling after each one without a change. */
export const waitMs = ({ idleLooks }: RunnerTaskRow, { minMs, maxMs }: { minMs: number; maxMs: number }): number =>
  Math.min(minMs * 2 ** Math.min(idleLooks, 10), maxMs)
