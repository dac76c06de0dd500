import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import type { WorkOn } from '../../platform/db/ownership.ts'
import { createRecordObject, type RecordMessage } from '../../platform/engine/keyed-by-record.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import { settleAttempt } from '../pipeline-runs/settle.ts'
import { loadStepForWork } from '../pipeline-step-executions/store.ts'
import { findRunOf, saveAttempt } from '../runner/claim.ts'
import { executeTaskAction, type TaskParts } from './execute.ts'
import { type AttemptState, decideUnobserved, type RunnerTaskDecision, type TaskSituation, waitMs } from './machine.ts'
import { loadTask, saveTask } from './store.ts'
import { type RunnerTaskRow, runnerTasks } from './tables.ts'
import { runnerTaskService, toRunnerTask, type WakeUp } from './wake.ts'

export type RunnerTaskParts = TaskParts & {
  /** Polling interval of a task, in milliseconds. */
  pace: { minMs: number; maxMs: number }
  clock: () => Date
  hasSharedRunners: boolean
  /** Notifies runners that wait in this process. */
  onReady: () => void
}

/** Engine object keyed by task id. Starts, polls and stops the task, and reports its end to its step. */
export const runnerTaskObject = (workOn: WorkOn<RunnerTaskParts>) =>
  createRecordObject<RunnerTaskParts, WakeUp>({
    service: runnerTaskService,
    handler: 'advance',
    journaledAs: 'advance',
    workOn,
    step: advance,
  })

/** Finds overdue tasks and returns their messages. */
export const overdueTasks = overdueIn(runnerTasks, {
  service: runnerTaskService,
  messagesOf: (rows) => rows.map(({ id, wakeSeq }) => toRunnerTask(id, { seq: wakeSeq })),
})

async function advance(parts: RunnerTaskParts, { id, payload: { seq } }: RecordMessage<WakeUp>): Promise<Message[]> {
  const task = await loadTask(parts.db, id)
  if (!task || task.status === 'ENDED') return []
  if (seq !== undefined && seq !== task.wakeSeq) return [] // timer from before the last write
  const stand = await standOf(parts, task)
  const decision = await decide(parts, stand)
  return decision ? save(parts, stand, decision) : []
}

async function standOf({ db, clock }: RunnerTaskParts, task: RunnerTaskRow): Promise<TaskSituation> {
  const step = await loadStepForWork(db, task.stepExecutionId)
  const isPresent = step?.status === 'IN_PROGRESS' && step.attemptEpoch === task.attemptEpoch
  const isToStop = isPresent && (step.cancelRequestedAt !== null || (await findRunOf(db, step)).cancelRequest !== null)
  const attempt: AttemptState = !isPresent ? 'over' : isToStop ? 'to stop' : 'under way'
  return { task, attempt, stepName: step?.stepName ?? '', now: clock() }
}

/**
 * Executes the next action, and retries transient errors of the cloud. The runner continues while its task cannot be
 * polled, because it sends its own heartbeats.
 */
async function decide(parts: RunnerTaskParts, stand: TaskSituation): Promise<RunnerTaskDecision | undefined> {
  try {
    return await executeTaskAction(parts, stand)
  } catch (error) {
    if (!(error instanceof CloudTransientError || error instanceof CloudPermanentError)) throw error
    // The location of the task may have been stored since it was loaded.
    const task = await loadTask(parts.db, stand.task.id)
    if (!task) return undefined
    return inTrouble(parts, { ...stand, task: { ...task, trouble: error.message } })
  }
}

async function inTrouble({ db }: RunnerTaskParts, stand: TaskSituation): Promise<RunnerTaskDecision> {
  const { task, attempt } = stand
  const { organizationId, stepExecutionId: id, attemptEpoch, trouble } = task
  const isStarting = task.status === 'STARTING'
  if (isStarting && attempt === 'under way') {
    await saveAttempt(db, { organizationId, id, attemptEpoch }, { statusDetail: { waitingFor: 'its task', trouble } })
  }
  return decideUnobserved(stand)
}

async function save(parts: RunnerTaskParts, stand: TaskSituation, decision: RunnerTaskDecision): Promise<Message[]> {
  const { db, pace, clock } = parts
  const { task } = stand
  const { outcome, next } = decision
  const { organizationId, stepExecutionId: id, attemptEpoch } = task
  const settled = outcome && (await settleAttempt(parts, { organizationId, id, attemptEpoch }, outcome))
  if (settled?.isReady) parts.onReady()
  const told = settled?.messages ?? []
  if (next.status === 'ENDED') {
    await saveTask(db, next)
    return told
  }
  const isNews = next.status !== task.status || next.stopRequestedAt !== task.stopRequestedAt
  const idle = { ...next, idleLooks: isNews ? 0 : task.idleLooks + 1 }
  const delayMs = waitMs(idle, pace)
  const saved = await saveTask(db, { ...idle, wakeAt: new Date(clock().getTime() + delayMs) })
  return saved ? [...told, toRunnerTask(task.id, { seq: saved.wakeSeq }, delayMs)] : [...told, toRunnerTask(task.id)]
}
