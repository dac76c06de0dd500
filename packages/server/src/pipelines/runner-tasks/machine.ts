import type { UserFacingError } from '@sluice/contract'
import type { Outcome } from '@sluice/contract/runner-protocol'
import { lost, type Seen, taskEnded, taskNotStarted, taskTooLate } from './failures.ts'
import type { RunnerTaskRow } from './tables.ts'

/** How the attempt stands that a task is for. */
export type AttemptStand = 'under way' | 'to stop' | 'over'

/** What is known when it is decided what becomes of a task. */
export type TaskStand = { task: RunnerTaskRow; attempt: AttemptStand; stepName: string; now: Date }

/** What a look comes to, in the order in which it is done. */
export type Decision = {
  /** Why the task is to be stopped. */
  stop?: string
  /** How the attempt ends. */
  outcome?: Outcome
  next: RunnerTaskRow
}

/** Between the end of an attempt and the end of its task, which has nothing left to do. Milliseconds. */
const longestFarewellMs = 60_000
/** A request to stop is made again where the task still runs. Milliseconds; the cloud grants 2 minutes to end. */
const stopAgainMs = 150_000

const failed = (error: UserFacingError): Outcome => ({ status: 'ERROR', error })
const stopped: Outcome = { status: 'CANCELLED' }

const ended = (task: RunnerTaskRow): RunnerTaskRow => ({ ...task, status: 'ENDED', wakeAt: null })

/** Of a task that the cloud has none of: whether it is to be started still. */
export function unstarted({ task, attempt, stepName, now }: TaskStand): Decision | 'start' {
  if (attempt === 'over') return { next: ended(task) }
  if (attempt === 'to stop') return { outcome: stopped, next: ended(task) }
  if (now >= task.deadlineAt) return { outcome: failed(taskTooLate(stepName, task)), next: ended(task) }
  return 'start'
}

/** A task whose attempt is over is looked for no longer than this while the cloud does not answer. Milliseconds. */
const longestSearchMs = 86_400_000

/** While the cloud does not answer: the attempt of a task that may not have started need not wait for that. */
export function unseen(stand: TaskStand): Decision {
  const { task, attempt, now } = stand
  if (attempt === 'over' && now.getTime() - task.deadlineAt.getTime() > longestSearchMs) return { next: ended(task) }
  if (task.status !== 'STARTING') return { next: task }
  const decision = unstarted(stand)
  if (decision === 'start') return { next: task }
  return task.place === null ? decision : { ...decision, next: task }
}

/** The cloud will not start it. */
export const refused = ({ task, stepName }: TaskStand, reason: string): Decision => ({
  outcome: failed(taskNotStarted(stepName, { reason })),
  next: ended(task),
})

/** Of a task that was started, after a look at it; undefined where the cloud knows it no longer. */
export function observed(stand: TaskStand, seen: Seen | undefined): Decision {
  const { task, attempt, stepName, now } = stand
  if (!seen) return attempt === 'over' ? { next: ended(task) } : { outcome: failed(lost(stepName)), next: ended(task) }
  if (seen.hasEnded) return ending(stand, seen)
  const isClaimed = task.claimedAt !== null
  if (attempt === 'over') return farewell(stand)
  // A runner that has the attempt is told by the API, stops its program and ends.
  if (attempt === 'to stop' && !isClaimed) return { ...stopping(stand, 'The step was stopped.'), outcome: stopped }
  if (isClaimed || now < task.deadlineAt) return { next: task }
  const outcome = failed(taskTooLate(stepName, task, seen))
  return { ...stopping(stand, 'The runner did not come in time.'), outcome }
}

function ending({ task, attempt, stepName }: TaskStand, seen: Seen): Decision {
  const next = ended(task)
  if (attempt === 'over') return { next }
  if (attempt === 'to stop') return { outcome: stopped, next }
  const error = task.claimedAt === null ? taskNotStarted(stepName, seen) : taskEnded(stepName, seen)
  return { outcome: failed(error), next }
}

function farewell(stand: TaskStand): Decision {
  const { task, now } = stand
  const overAt = task.overAt ?? now
  const isPatient = task.claimedAt !== null && now.getTime() - overAt.getTime() < longestFarewellMs
  if (isPatient) return { next: { ...task, overAt } }
  return stopping({ ...stand, task: { ...task, overAt } }, 'The step is over.')
}

function stopping({ task, now }: TaskStand, stop: string): Decision {
  const isAsked = task.stopRequestedAt !== null && now.getTime() - task.stopRequestedAt.getTime() < stopAgainMs
  return isAsked ? { next: task } : { stop, next: { ...task, stopRequestedAt: now } }
}

/** How long until the next look: from the shortest, doubled with each that changed nothing. Milliseconds. */
export const waitMs = ({ idleLooks }: RunnerTaskRow, { minMs, maxMs }: { minMs: number; maxMs: number }): number =>
  Math.min(minMs * 2 ** Math.min(idleLooks, 10), maxMs)
