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

/** Query that returns a row if any step waits for a task. */
export const stepsAreReady = sql`select 1 from ${steps} join ${executionEnvironments} on ${ofReadyStep} where ${isReady}`

/** Returns the execution environments in the cloud with waiting steps. */
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

/** Returns the steps of tasks, by id. */
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

/** Loads a task for the engine's handler, by its id. It is the only query without an organization. */
export async function loadTask(db: Db, id: string): Promise<RunnerTaskRow | undefined> {
  const [row] = await db.select().from(runnerTasks).where(eq(runnerTasks.id, id))
  return row
}

/** Stores a decision, unless the row has changed since it was loaded. */
export async function saveTask(db: Db, task: RunnerTaskRow): Promise<RunnerTaskRow | undefined> {
  // Excludes columns that the API writes for the runner.
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

/**
 * Binds a task's token to the runner with this key. Returns undefined for an invalid token, or if another runner has
 * used it.
 */
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

/** Records that the runner of a task received its attempt; returns false if it had received it before. */
export async function recordReceipt(db: Db, attempt: AttemptKey, now: Date): Promise<boolean> {
  const noted = await db
    .update(runnerTasks)
    .set({ claimedAt: now })
    .where(and(ofAttempt(attempt), isNull(runnerTasks.claimedAt)))
    .returning({ id: runnerTasks.id })
  return noted.length > 0
}
