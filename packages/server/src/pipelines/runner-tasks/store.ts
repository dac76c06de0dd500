import type { RunnerTaskStatus } from '@sluice/contract'
import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { and, eq, inArray, isNull, ne, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import type { AttemptKey } from '../pipeline-step-executions/present-attempt.ts'
import { pipelineStepExecutions as steps } from '../pipelines/tables.ts'
import { type RunnerTaskRow, runnerTasks } from './tables.ts'

export type CloudEnvironmentKey = { organizationId: string; executionEnvironmentId: string }

const ofReadyStep = and(
  eq(executionEnvironments.organizationId, steps.organizationId),
  eq(executionEnvironments.id, steps.executionEnvironmentId),
  eq(executionEnvironments.kind, 'cloud'),
)
const isReady = and(eq(steps.status, 'QUEUED'), inArray(steps.queueReason, ['RUNNER_CAPACITY', 'STACK_LOCKED']))

/** Whether any step waits for a task. */
export const stepsAreReady = sql`select 1 from ${steps} join ${executionEnvironments} on ${ofReadyStep} where ${isReady}`

/** The execution environments in the cloud that steps wait for. */
export async function environmentsWithReadySteps(db: Db): Promise<CloudEnvironmentKey[]> {
  return db
    .selectDistinct({ organizationId: steps.organizationId, executionEnvironmentId: executionEnvironments.id })
    .from(steps)
    .innerJoin(executionEnvironments, ofReadyStep)
    .where(isReady)
}

export type TaskFilters = { executionEnvironmentId?: string; status?: RunnerTaskStatus }

export function listTasks(
  db: Db,
  organizationId: string,
  { executionEnvironmentId, status }: TaskFilters,
  page: PageBounds,
): Promise<PageRows<RunnerTaskRow>> {
  const where = and(
    eq(runnerTasks.organizationId, organizationId),
    executionEnvironmentId === undefined ? undefined : eq(runnerTasks.executionEnvironmentId, executionEnvironmentId),
    status === undefined ? undefined : eq(runnerTasks.status, status),
  )
  return selectPage(db, runnerTasks, where, page)
}

/** The steps that tasks are for, by their ids. */
export async function stepsOfTasks(db: Db, organizationId: string, tasks: readonly RunnerTaskRow[]) {
  const ids = tasks.map(({ stepExecutionId }) => stepExecutionId)
  if (ids.length === 0) return new Map<string, { stepName: string; pipelineRunId: string }>()
  const { id, stepName, pipelineRunId } = steps
  const rows = await db
    .select({ id, stepName, pipelineRunId })
    .from(steps)
    .where(and(eq(steps.organizationId, organizationId), inArray(steps.id, ids)))
  return new Map(rows.map((row) => [row.id, row]))
}

type NewTask = Omit<typeof runnerTasks.$inferInsert, 'status'>

export async function insertTask(tx: Db, task: NewTask): Promise<void> {
  await tx.insert(runnerTasks).values({ ...task, status: 'STARTING' })
}

/** For the engine's handlers, whose key is the task's id: the one read that names no organization. */
export async function loadTask(db: Db, id: string): Promise<RunnerTaskRow | undefined> {
  const [row] = await db.select().from(runnerTasks).where(eq(runnerTasks.id, id))
  return row
}

/** Saves a decision, unless the row has moved since it was taken. */
export async function saveTask(db: Db, task: RunnerTaskRow): Promise<RunnerTaskRow | undefined> {
  // What the API notes of the runner is not the worker's to write.
  const { organizationId, id, createdAt: _, redeemedByHash: __, claimedAt: ___, ...moving } = task
  const isAsRead = and(
    eq(runnerTasks.organizationId, organizationId),
    eq(runnerTasks.id, id),
    eq(runnerTasks.revision, task.revision),
  )
  const [row] = await db
    .update(runnerTasks)
    .set({ ...moving, revision: task.revision + 1, wakeSeq: task.wakeSeq + 1, updatedAt: sql`now()` })
    .where(isAsRead)
    .returning()
  return row
}

/** Takes a task's token for whoever has this key; undefined for one of nothing, or that another has redeemed. */
export async function redeemTask(
  db: Db,
  { tokenHash, redeemedByHash }: { tokenHash: string; redeemedByHash: string },
): Promise<RunnerTaskRow | undefined> {
  const isFree = or(isNull(runnerTasks.redeemedByHash), eq(runnerTasks.redeemedByHash, redeemedByHash))
  const [row] = await db
    .update(runnerTasks)
    .set({ redeemedByHash })
    .where(and(eq(runnerTasks.tokenHash, tokenHash), ne(runnerTasks.status, 'ENDED'), isFree))
    .returning()
  return row
}

const ofAttempt = ({ organizationId, id, attemptEpoch }: AttemptKey) =>
  and(
    eq(runnerTasks.organizationId, organizationId),
    eq(runnerTasks.stepExecutionId, id),
    eq(runnerTasks.attemptEpoch, attemptEpoch),
  )

export async function findTaskOf(db: Db, attempt: AttemptKey): Promise<RunnerTaskRow | undefined> {
  const [row] = await db.select().from(runnerTasks).where(ofAttempt(attempt))
  return row
}

/** Notes that the runner of a task is given its attempt; false where it was given it before. */
export async function noteClaim(db: Db, attempt: AttemptKey, now: Date): Promise<boolean> {
  const noted = await db
    .update(runnerTasks)
    .set({ claimedAt: now })
    .where(and(ofAttempt(attempt), isNull(runnerTasks.claimedAt)))
    .returning({ id: runnerTasks.id })
  return noted.length > 0
}
