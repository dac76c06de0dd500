import type { PipelineRunStatus } from '@sluice/contract'
import { unfinishedRunStatuses } from '@sluice/contract'
import { hasGates } from '../../gates/load.ts'
import {
  and,
  asc,
  eq,
  inArray,
  isNotNull,
  isNull,
  lt,
  ne,
  notExists,
  or,
  type SQL,
  sql,
} from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectCountedPage } from '../../platform/db/page.ts'
import { columnSlots, columnValues, prepared } from '../../platform/db/prepared.ts'
import { emitStatusChange } from '../../platform/db/status-changes.ts'
import { placeInTrace } from '../../platform/traces/present.ts'
import type { PipelineConfig } from '../pipeline-versions/config/schema.ts'
import { configOf } from '../pipeline-versions/config/steps.ts'
import { isVersionAskedAbout } from '../pipeline-versions/store.ts'
import {
  type CancelRequest,
  type PipelineRunRow,
  type PipelineStepExecutionRow,
  type PipelineVersionRow,
  pipelineRuns,
  pipelineStepExecutions,
  pipelineVersions,
} from '../pipelines/tables.ts'
import { mayBeAskedAbout } from '../step-approvals/store.ts'
import { infrastructureTypes } from './gates/freezes.ts'

export type NewPipelineRun = typeof pipelineRuns.$inferInsert
export type NewStepExecution = typeof pipelineStepExecutions.$inferInsert

export interface PipelineRunFilters {
  pipelineId?: string
  status?: PipelineRunStatus[]
}

const one = (organizationId: string, id: string) =>
  and(eq(pipelineRuns.organizationId, organizationId), eq(pipelineRuns.id, id))

/** Stores a run with its steps. */
export async function insertPipelineRun(
  tx: Db,
  run: NewPipelineRun,
  steps: NewStepExecution[],
): Promise<PipelineRunRow> {
  const [row] = await tx
    .insert(pipelineRuns)
    .values({ ...run, traceparent: placeInTrace() })
    .returning()
  if (!row) throw new Error('the pipeline run was not inserted')
  emitStatusChange(tx, 'pipeline run', undefined, row)
  if (steps.length > 0) await tx.insert(pipelineStepExecutions).values(steps)
  return row
}

export function listPipelineRuns(
  db: Db,
  organizationId: string,
  { pipelineId, status }: PipelineRunFilters,
  page: PageBounds,
): Promise<PageRows<PipelineRunRow>> {
  const filter = and(
    pipelineId === undefined ? undefined : eq(pipelineRuns.pipelineId, pipelineId),
    status && inArray(pipelineRuns.status, status),
  )
  return selectCountedPage(db, pipelineRuns, organizationId, filter, page)
}

/** Returns the runs of a version that have not started. */
export async function queuedRunsOfVersion(
  db: Db,
  { organizationId, pipelineId, id }: PipelineVersionRow,
): Promise<string[]> {
  const { pipelineVersionId, status } = pipelineRuns
  const isOfPipeline = and(eq(pipelineRuns.organizationId, organizationId), eq(pipelineRuns.pipelineId, pipelineId))
  const rows = await db
    .select({ id: pipelineRuns.id })
    .from(pipelineRuns)
    .where(and(isOfPipeline, eq(pipelineVersionId, id), eq(status, 'QUEUED')))
    .orderBy(asc(pipelineRuns.id))
  return rows.map((row) => row.id)
}

/** Counts the queued runs of an organization, up to `most`. */
export function countQueuedRuns(db: Db, organizationId: string, most: number): Promise<number> {
  const { id, status } = pipelineRuns
  const isQueued = and(eq(pipelineRuns.organizationId, organizationId), eq(status, 'QUEUED'))
  return db.$count(db.select({ id }).from(pipelineRuns).where(isQueued).limit(most).as('queued'))
}

export async function findPipelineRun(db: Db, organizationId: string, id: string): Promise<PipelineRunRow | undefined> {
  const [row] = await db.select().from(pipelineRuns).where(one(organizationId, id))
  return row
}

/** Reference to a run that another one retries, or to its retry. */
export type NamedRun = Pick<PipelineRunRow, 'id' | 'number' | 'status'>

const named = { id: pipelineRuns.id, number: pipelineRuns.number, status: pipelineRuns.status }

/** Returns the retry of this run. */
export async function findRetryOf(db: Db, organizationId: string, id: string): Promise<NamedRun | undefined> {
  const isRetry = and(eq(pipelineRuns.organizationId, organizationId), eq(pipelineRuns.retryOf, id))
  const [row] = await db.select(named).from(pipelineRuns).where(isRetry)
  return row
}

/** Returns the steps of a run, in the order of the config. */
export const stepsOfRun = prepared((db) =>
  db
    .select()
    .from(pipelineStepExecutions)
    .where(
      and(
        eq(pipelineStepExecutions.organizationId, sql.placeholder('organizationId')),
        eq(pipelineStepExecutions.pipelineRunId, sql.placeholder('id')),
      ),
    )
    .orderBy(asc(pipelineStepExecutions.position))
    .prepare('list_steps_of_run'),
)

/** Returns the run of a step. */
export async function findRunOfStep(
  db: Db,
  organizationId: string,
  stepExecutionId: string,
): Promise<PipelineRunRow | undefined> {
  const steps = db
    .select({ id: pipelineStepExecutions.pipelineRunId })
    .from(pipelineStepExecutions)
    .where(
      and(eq(pipelineStepExecutions.organizationId, organizationId), eq(pipelineStepExecutions.id, stepExecutionId)),
    )
  const [row] = await db
    .select()
    .from(pipelineRuns)
    .where(and(eq(pipelineRuns.organizationId, organizationId), inArray(pipelineRuns.id, steps)))
  return row
}

/** Locks a concurrency group until the end of the transaction. Uses an advisory lock, because a group has no row. */
export async function lockGroup(tx: Db, organizationId: string, group: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`run group ${organizationId} ${group}`}, 0))`)
}

const unfinishedIn = (organizationId: string, group: string) =>
  and(
    eq(pipelineRuns.organizationId, organizationId),
    eq(pipelineRuns.concurrencyGroup, group),
    inArray(pipelineRuns.status, unfinishedRunStatuses),
  )

/** Returns the ids of the unfinished runs of a group, oldest first. */
export async function unfinishedOfGroup(db: Db, organizationId: string, group: string): Promise<string[]> {
  const rows = await db
    .select({ id: pipelineRuns.id })
    .from(pipelineRuns)
    .where(unfinishedIn(organizationId, group))
    .orderBy(asc(pipelineRuns.id))
  return rows.map(({ id }) => id)
}

/**
 * Requests the cancellation of the unfinished runs of a group, and makes them due. Returns the ids of those without an
 * earlier request.
 */
export const supersedeGroup = (
  tx: Db,
  organizationId: string,
  group: string,
  cancelRequest: CancelRequest,
  now: Date,
): Promise<string[]> => requestCancellation(tx, unfinishedIn(organizationId, group), cancelRequest, now)

/**
 * Requests the cancellation of earlier runs by the same trigger of a module instance, except those that have started to
 * change infrastructure. Returns the ids of those without an earlier request.
 */
export function supersedeOfTrigger(
  tx: Db,
  { organizationId, id, moduleInstanceId, trigger }: PipelineRunRow,
  cancelRequest: CancelRequest,
  now: Date,
): Promise<string[]> {
  const triggerOf = (one: unknown) => sql`${one} -> 'payload' ->> 'trigger_id'`
  const begun = tx
    .select({ id: pipelineStepExecutions.id })
    .from(pipelineStepExecutions)
    .where(
      and(
        eq(pipelineStepExecutions.pipelineRunId, pipelineRuns.id),
        inArray(pipelineStepExecutions.stepType, infrastructureTypes),
        isNotNull(pipelineStepExecutions.startedAt),
      ),
    )
  const earlier = and(
    eq(pipelineRuns.organizationId, organizationId),
    eq(sql`${pipelineRuns.moduleInstanceId}`, moduleInstanceId),
    inArray(pipelineRuns.status, unfinishedRunStatuses),
    eq(triggerOf(pipelineRuns.trigger), String(trigger?.payload?.trigger_id)),
    eq(sql`coalesce(${pipelineRuns.trigger} -> 'payload' ->> 'branch', '')`, String(trigger?.payload?.branch ?? '')),
    ne(pipelineRuns.id, id),
    notExists(begun),
  )
  return requestCancellation(tx, earlier, cancelRequest, now)
}

async function requestCancellation(
  tx: Db,
  which: SQL | undefined,
  cancelRequest: CancelRequest,
  now: Date,
): Promise<string[]> {
  const rows = await tx
    .update(pipelineRuns)
    .set({ cancelRequest, ...wokenAt(now) })
    .where(and(which, isNull(pipelineRuns.cancelRequest)))
    .returning({ id: pipelineRuns.id })
  return rows.map(({ id }) => id)
}

/**
 * Makes the runs due whose steps a freeze or an approval rule may block. Includes runs with a concurrent pass, which
 * may use the old gates. Returns their ids.
 */
export async function wakeGatedByRules(tx: Db, organizationId: string, now: Date): Promise<string[]> {
  const { pipelineRunId, status, stepType } = pipelineStepExecutions
  const isToChange = and(
    eq(pipelineStepExecutions.organizationId, organizationId),
    inArray(status, ['QUEUED', 'PENDING_APPROVAL']),
    inArray(stepType, infrastructureTypes),
  )
  const mayBeFrozen = tx.select({ id: pipelineRunId }).from(pipelineStepExecutions).where(isToChange)
  const isUnfinished = and(
    eq(pipelineRuns.organizationId, organizationId),
    inArray(pipelineRuns.status, unfinishedRunStatuses),
  )
  const rows = await tx
    .update(pipelineRuns)
    .set(wokenAt(now))
    .where(and(isUnfinished, inArray(pipelineRuns.id, mayBeFrozen)))
    .returning({ id: pipelineRuns.id })
  return rows.map(({ id }) => id)
}

const wokenAt = (now: Date) => ({
  wakeAt: now,
  updatedAt: sql`now()`,
  revision: sql`${pipelineRuns.revision} + 1`,
  wakeSeq: sql`${pipelineRuns.wakeSeq} + 1`,
})

/** Locked run with everything that its scheduling needs. */
export type LockedRun = {
  run: PipelineRunRow
  config: PipelineConfig
  steps: PipelineStepExecutionRow[]
  /** Whether the organization has freezes, which must be evaluated before infrastructure is changed. */
  isRuled: boolean
  /** Whether approval rules or policies may apply to its steps. */
  hasStepRules: boolean
  /** Whether policies require approvals of its version. */
  hasVersionAsked: boolean
}

/**
 * Loads and locks a run with its steps, in the order of the config, until the end of the transaction. The engine's
 * handlers call it with the run's id and without an organization.
 */
export async function lockRun(tx: Db, id: string, organizationId?: string): Promise<LockedRun | undefined> {
  const [found] = await runById(tx).execute({ id })
  if (!found || (organizationId !== undefined && found.run.organizationId !== organizationId)) return undefined
  return locked(tx, found.run, configOf(found.version))
}

/** Loads and locks the run of a step: see `lockRun`. */
export async function lockRunOfStep(
  tx: Db,
  step: { organizationId: string; id: string },
): Promise<LockedRun | undefined> {
  const [found] = await runByStep(tx).execute(step)
  return found && locked(tx, found.run, configOf(found.version))
}

/** Immutable parts of a run and its version. */
export type KnownRun = {
  run: Pick<PipelineRunRow, 'organizationId' | 'id' | 'concurrencyGroup'>
  config: PipelineConfig
}

/** Loads and locks a run whose immutable parts are known. */
export const lockKnownRun = (tx: Db, { run, config }: KnownRun): Promise<LockedRun | undefined> =>
  locked(tx, run, config)

const runAndVersion = (db: Db) =>
  db
    .select({ run: pipelineRuns, version: pipelineVersions })
    .from(pipelineRuns)
    .innerJoin(pipelineVersions, eq(pipelineVersions.id, pipelineRuns.pipelineVersionId))

const runById = prepared((db) =>
  runAndVersion(db)
    .where(eq(pipelineRuns.id, sql.placeholder('id')))
    .prepare('find_run'),
)

const runByStep = prepared((db) => {
  const { id, organizationId, pipelineRunId } = pipelineStepExecutions
  const isIt = and(eq(organizationId, sql.placeholder('organizationId')), eq(id, sql.placeholder('id')))
  const its = db.select({ id: pipelineRunId }).from(pipelineStepExecutions).where(isIt)
  return runAndVersion(db).where(inArray(pipelineRuns.id, its)).prepare('find_run_of_step')
})

async function locked(
  tx: Db,
  { id, organizationId, concurrencyGroup }: KnownRun['run'],
  config: PipelineConfig,
): Promise<LockedRun | undefined> {
  // Lock the group before the run, in the same order as the start of a run in the group, to avoid a deadlock.
  if (concurrencyGroup !== null) await lockGroup(tx, organizationId, concurrencyGroup)
  const [found] = await runToChange(tx).execute({ organizationId, id })
  if (!found) return undefined
  const steps = await stepsToChange(tx).execute({ organizationId, id })
  return { ...found, config, steps }
}

const runToChange = prepared((db) =>
  db
    .select({
      run: pipelineRuns,
      isRuled: hasGates(pipelineRuns.organizationId, 'APPLY'),
      hasStepRules: mayBeAskedAbout(pipelineRuns.organizationId, pipelineRuns.id),
      hasVersionAsked: isVersionAskedAbout(pipelineRuns.pipelineVersionId),
    })
    .from(pipelineRuns)
    .where(
      and(
        eq(pipelineRuns.organizationId, sql.placeholder('organizationId')),
        eq(pipelineRuns.id, sql.placeholder('id')),
      ),
    )
    .for('update')
    .prepare('lock_run'),
)

const stepsToChange = prepared((db) =>
  db
    .select()
    .from(pipelineStepExecutions)
    .where(
      and(
        eq(pipelineStepExecutions.organizationId, sql.placeholder('organizationId')),
        eq(pipelineStepExecutions.pipelineRunId, sql.placeholder('id')),
      ),
    )
    .orderBy(asc(pipelineStepExecutions.id))
    .for('update')
    .prepare('lock_steps_of_run'),
)

/** Columns of a run that change. */
const movingNames = [
  'status',
  'startedAt',
  'completedAt',
  'error',
  'cancelRequest',
  'wakeAt',
  'wakeSeq',
  'deadlineAt',
  'waitingFor',
  'revision',
] as const

const update = prepared((db) =>
  db
    .update(pipelineRuns)
    .set({ ...columnSlots(movingNames), updatedAt: sql`now()` })
    .where(
      and(
        eq(pipelineRuns.organizationId, sql.placeholder('organizationId')),
        eq(pipelineRuns.id, sql.placeholder('id')),
      ),
    )
    .returning()
    .prepare('save_run'),
)

/** Stores the changed columns of a run. The caller holds the lock of its row. */
export async function saveRun(tx: Db, run: PipelineRunRow, before: PipelineRunRow): Promise<PipelineRunRow> {
  const { organizationId, id } = run
  const values = columnValues(pipelineRuns, movingNames, { ...run, revision: run.revision + 1 })
  const [row] = await update(tx).execute({ ...values, organizationId, id })
  if (!row) throw new Error(`the pipeline run ${run.id} is gone`)
  emitStatusChange(tx, 'pipeline run', before, row)
  return row
}

/** Returns the run of the same group that precedes this one: the active one, or the oldest queued one. */
export async function holderOfGroup(
  tx: Db,
  { organizationId, concurrencyGroup, id }: PipelineRunRow,
): Promise<string | undefined> {
  if (concurrencyGroup === null) return undefined
  const goesFirst = or(ne(pipelineRuns.status, 'QUEUED'), lt(pipelineRuns.id, id))
  const [holder] = await tx
    .select({ id: pipelineRuns.id })
    .from(pipelineRuns)
    .where(and(unfinishedIn(organizationId, concurrencyGroup), ne(pipelineRuns.id, id), goesFirst))
    .orderBy(sql`${pipelineRuns.status} = 'QUEUED'`, asc(pipelineRuns.id))
    .limit(1)
  return holder?.id
}

/** Returns the next queued run of the same group. */
export async function nextOfGroup(
  db: Db,
  { organizationId, concurrencyGroup, id }: PipelineRunRow,
): Promise<string | undefined> {
  if (concurrencyGroup === null) return undefined
  const waiting = await unfinishedOfGroup(db, organizationId, concurrencyGroup)
  return waiting.find((one) => one !== id)
}

/** Returns the number of a run's current wake-up for the engine's handler, by its id. */
export async function loadWakeSeq(db: Db, id: string): Promise<number | undefined> {
  const [row] = await db.select({ wakeSeq: pipelineRuns.wakeSeq }).from(pipelineRuns).where(eq(pipelineRuns.id, id))
  return row?.wakeSeq
}
