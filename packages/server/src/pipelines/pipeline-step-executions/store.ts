import type { PipelineStepExecutionStatus } from '@sluice/contract'
import { alias, and, eq, getTableColumns, inArray, isNotNull, isNull, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectCountedPage } from '../../platform/db/page.ts'
import { prepared } from '../../platform/db/prepared.ts'
import { emitStatusChange } from '../../platform/db/status-changes.ts'
import { storableJson } from '../../platform/db/storable.ts'
import { type PipelineStepExecutionRow, pipelineStepExecutions } from '../pipelines/tables.ts'
import { mayBeAskedAbout } from '../step-approvals/store.ts'

type Json = Record<string, unknown>

export interface PipelineStepExecutionFilters {
  pipelineRunId?: string
  status?: PipelineStepExecutionStatus[]
}

const one = (organizationId: string, id: string) =>
  and(eq(pipelineStepExecutions.organizationId, organizationId), eq(pipelineStepExecutions.id, id))

export function listPipelineStepExecutions(
  db: Db,
  organizationId: string,
  { pipelineRunId, status }: PipelineStepExecutionFilters,
  page: PageBounds,
): Promise<PageRows<PipelineStepExecutionRow>> {
  const filter = and(
    pipelineRunId === undefined ? undefined : eq(pipelineStepExecutions.pipelineRunId, pipelineRunId),
    status && inArray(pipelineStepExecutions.status, status),
  )
  return selectCountedPage(db, pipelineStepExecutions, organizationId, filter, page)
}

/** Returns the steps of a run with their names. */
export const listStepNames = (
  db: Db,
  organizationId: string,
  pipelineRunId: string,
): Promise<Pick<PipelineStepExecutionRow, 'id' | 'stepName'>[]> =>
  db
    .select({ id: pipelineStepExecutions.id, stepName: pipelineStepExecutions.stepName })
    .from(pipelineStepExecutions)
    .where(
      and(
        eq(pipelineStepExecutions.organizationId, organizationId),
        eq(pipelineStepExecutions.pipelineRunId, pipelineRunId),
      ),
    )

/** Counts the steps that wait for shared runners, up to `most`. Uses the index of lease requests. */
export function countQueuedSteps(db: Db, organizationId: string, most: number): Promise<number> {
  const { id, executionEnvironmentId } = pipelineStepExecutions
  const isQueued = and(
    eq(pipelineStepExecutions.organizationId, organizationId),
    isNull(executionEnvironmentId),
    sql`status = 'QUEUED' and queue_reason in ('RUNNER_CAPACITY', 'STACK_LOCKED')`,
  )
  return db.$count(db.select({ id }).from(pipelineStepExecutions).where(isQueued).limit(most).as('queued'))
}

export async function findPipelineStepExecution(
  db: Db,
  organizationId: string,
  id: string,
): Promise<PipelineStepExecutionRow | undefined> {
  const [row] = await db.select().from(pipelineStepExecutions).where(one(organizationId, id))
  return row
}

/**
 * Loads and locks a step until the end of the transaction, and returns whether approval rules or policies may apply to
 * it.
 */
export async function lockStep(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<{ step: PipelineStepExecutionRow; isRuled: boolean } | undefined> {
  const isRuled = mayBeAskedAbout(pipelineStepExecutions.organizationId, pipelineStepExecutions.pipelineRunId)
  const [found] = await tx
    .select({ step: pipelineStepExecutions, isRuled })
    .from(pipelineStepExecutions)
    .where(one(organizationId, id))
    .for('update')
  return found
}

const {
  organizationId: _,
  id: __,
  createdAt: ___,
  updatedAt: ____,
  ...moving
} = getTableColumns(pipelineStepExecutions)
const movingNames = Object.keys(moving) as (keyof typeof moving)[]

/** Updates any number of steps in one statement. Passes the rows as JSON, which PostgreSQL converts to rows. */
const update = prepared((db) => {
  const to = alias(pipelineStepExecutions, 'moved')
  const moved = sql`jsonb_populate_recordset(null::pipeline_step_executions, ${sql.placeholder('rows')}::jsonb) as ${to}`
  const values = Object.fromEntries(movingNames.map((name) => [name, sql`${to[name]}`]))
  return db
    .update(pipelineStepExecutions)
    .set({ ...values, updatedAt: sql`now()` })
    .from(moved)
    .where(
      and(
        eq(pipelineStepExecutions.organizationId, sql.placeholder('organizationId')),
        eq(pipelineStepExecutions.id, to.id),
        // Tells the planner that there are few rows; otherwise it would read all steps of the organization.
        sql`${pipelineStepExecutions.id} = any(${sql.placeholder('ids')}::text[])`,
      ),
    )
    .returning(getTableColumns(pipelineStepExecutions))
    .prepare('save_steps')
})

const columns = getTableColumns(pipelineStepExecutions)

/** Converts a step for `update`. JSON has times as text, and nested JSON unchanged. */
const movedRow = (step: PipelineStepExecutionRow): Json => {
  const next = { ...step, revision: step.revision + 1 }
  return Object.fromEntries([['id', step.id], ...movingNames.map((name) => [columns[name].name, next[name]])])
}

type Before = Pick<PipelineStepExecutionRow, 'id' | 'status'>

/**
 * Stores the changed columns of steps, compared with `before`. The caller holds the locks of their rows, or is their
 * only writer.
 */
export async function saveSteps(
  tx: Db,
  steps: readonly PipelineStepExecutionRow[],
  before: readonly Before[],
): Promise<PipelineStepExecutionRow[]> {
  const [first] = steps
  if (!first) return []
  const rows = await update(tx).execute({
    organizationId: first.organizationId,
    ids: steps.map(({ id }) => id),
    rows: storableJson(steps.map(movedRow)),
  })
  return steps.map(({ id }) => {
    const row = rows.find((one) => one.id === id)
    if (!row) throw new Error(`the step execution ${id} is gone`)
    emitStatusChange(
      tx,
      'step execution',
      before.find((one) => one.id === id),
      row,
    )
    return row
  })
}

/** Stores the changed columns of one step: see `saveSteps`. */
export async function saveStep(
  tx: Db,
  step: PipelineStepExecutionRow,
  before: Before,
): Promise<PipelineStepExecutionRow> {
  const [row] = await saveSteps(tx, [step], [before])
  if (!row) throw new Error(`the step execution ${step.id} was not saved`)
  return row
}

/** Loads a step for the engine's handler, by its id. It is the only query without an organization. */
export async function loadStepForWork(db: Db, id: string): Promise<PipelineStepExecutionRow | undefined> {
  const [row] = await db.select().from(pipelineStepExecutions).where(eq(pipelineStepExecutions.id, id))
  return row
}

/** Starts the attempt of a dispatched step in a worker. Returns undefined if the step is not available any more. */
export async function beginAttempt(
  db: Db,
  { organizationId, id }: PipelineStepExecutionRow,
  { engineRunId, now, wakeAt }: { engineRunId: string; now: Date; wakeAt: Date },
): Promise<PipelineStepExecutionRow | undefined> {
  const isHandedOver = and(
    eq(pipelineStepExecutions.status, 'QUEUED'),
    eq(pipelineStepExecutions.queueReason, 'READY'),
    isNotNull(pipelineStepExecutions.wakeAt),
  )
  const [row] = await db
    .update(pipelineStepExecutions)
    .set({
      status: 'IN_PROGRESS',
      attemptEpoch: sql`${pipelineStepExecutions.attemptEpoch} + 1`,
      startedAt: now,
      engineRunId,
      wakeAt,
      updatedAt: sql`now()`,
      revision: sql`${pipelineStepExecutions.revision} + 1`,
      wakeSeq: sql`${pipelineStepExecutions.wakeSeq} + 1`,
    })
    .where(and(one(organizationId, id), isHandedOver))
    .returning()
  if (row) emitStatusChange(db, 'step execution', { status: 'QUEUED' }, row)
  return row
}

type AttemptNote = Partial<
  Pick<
    PipelineStepExecutionRow,
    'progress' | 'inputData' | 'statusDetail' | 'moduleInstanceId' | 'wakeAt' | 'waitingFor'
  >
>

/**
 * Stores the progress of the current attempt, which schedules a new wake-up. Returns undefined if the attempt is not
 * the current one.
 */
export async function saveProgress(
  tx: Db,
  { organizationId, id, attemptEpoch }: PipelineStepExecutionRow,
  note: AttemptNote,
): Promise<PipelineStepExecutionRow | undefined> {
  const isPresent = and(
    eq(pipelineStepExecutions.status, 'IN_PROGRESS'),
    eq(pipelineStepExecutions.attemptEpoch, attemptEpoch),
  )
  const [row] = await tx
    .update(pipelineStepExecutions)
    .set({
      ...note,
      updatedAt: sql`now()`,
      revision: sql`${pipelineStepExecutions.revision} + 1`,
      wakeSeq: sql`${pipelineStepExecutions.wakeSeq} + 1`,
    })
    .where(and(one(organizationId, id), isPresent))
    .returning()
  return row
}

/** Returns the active steps of a run that wait for one of its deployments. */
export async function stepsWaitingFor(
  db: Db,
  {
    organizationId,
    pipelineRunId,
    deploymentId,
  }: { organizationId: string; pipelineRunId: string; deploymentId: string },
): Promise<string[]> {
  const rows = await db
    .select({ id: pipelineStepExecutions.id })
    .from(pipelineStepExecutions)
    .where(
      and(
        eq(pipelineStepExecutions.organizationId, organizationId),
        eq(pipelineStepExecutions.pipelineRunId, pipelineRunId),
        eq(pipelineStepExecutions.status, 'IN_PROGRESS'),
        sql`${pipelineStepExecutions.progress} ->> 'deploymentId' = ${deploymentId}`,
      ),
    )
  return rows.map(({ id }) => id)
}
