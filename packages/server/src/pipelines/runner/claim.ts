import {
  alias,
  and,
  eq,
  inArray,
  isNotNull,
  isNull,
  lt,
  notExists,
  or,
  type SQL,
  sql,
} from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { prepared } from '../../platform/db/prepared.ts'
import { emitStatusChange } from '../../platform/db/status-changes.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { type AttemptKey, isCurrentAttempt } from '../pipeline-step-executions/present-attempt.ts'
import {
  type PipelineRunRow,
  type PipelineStepExecutionRow,
  pipelineRuns,
  pipelineStepExecutions as steps,
} from '../pipelines/tables.ts'
import type { RunnerScope } from './runner-tokens.ts'

type Json = Record<string, unknown>

/** Scope of steps: those that a runner can lease, or that wait for tasks of an execution environment. */
export type StepScope = RunnerScope | { organizationId: string; executionEnvironmentId: string }

/** Identity of a runner; its name is unique only within its scope. */
export type RunnerKey = { runnerId: string; scope: StepScope }

/** Runner that requests a lease, with the types that it supports and the end of the lease. */
export type LeaseRequest = RunnerKey & {
  stepTypes: string[]
  leaseUntil: Date
  now: Date
  /** Maximum number of an organization's active steps on shared runners; unlimited if absent. */
  mostRunning?: number | undefined
}

/** Skips rows that another transaction has locked, to avoid deadlocks. The next request finds them. */
const skipLocked = { skipLocked: true } as const

const busy = alias(steps, 'busy')

const onSameStack = and(eq(busy.stackId, steps.stackId), eq(busy.status, 'IN_PROGRESS'))

/**
 * Returns the condition for the steps of a scope: runners of a pool execute the steps of its execution environment, the
 * runner of a task its one attempt, and shared runners the steps without an execution environment.
 */
function isFor(scope: StepScope) {
  if (scope.organizationId === undefined) return isNull(steps.executionEnvironmentId)
  return and(
    eq(steps.organizationId, scope.organizationId),
    eq(steps.executionEnvironmentId, scope.executionEnvironmentId),
    'attemptEpoch' in scope ? eq(steps.id, scope.stepExecutionId) : undefined,
    'attemptEpoch' in scope ? eq(steps.attemptEpoch, scope.attemptEpoch) : undefined,
  )
}

const isReady = (stepTypes: string[]) =>
  and(
    eq(steps.status, 'QUEUED'),
    inArray(steps.queueReason, ['RUNNER_CAPACITY', 'STACK_LOCKED']),
    inArray(steps.stepType, stepTypes),
  )

/** Uses literals as in the index, because a prepared statement with parameters would not use it. */
const anyWaiting = prepared((db) =>
  db
    .select({ id: steps.id })
    .from(steps)
    .where(sql`status = 'QUEUED' and queue_reason in ('RUNNER_CAPACITY', 'STACK_LOCKED')`)
    .limit(1)
    .prepare('find_step_that_waits'),
)

/** Reports whether any step waits for a runner. Idle runners ask this frequently. */
export const doesAnyWait = async (db: Db): Promise<boolean> => (await anyWaiting(db).execute()).length > 0

const hasFreeStack = (db: Db) =>
  or(isNull(steps.stackId), notExists(db.select({ one: sql`1` }).from(busy).where(onSameStack)))

/** Number of candidates per requested step, because other transactions may have locked some. */
const candidatesPerStep = 2

/** Returns the maximum number of active steps of an organization, which applies only to shared runners. */
const capOf = ({ scope, mostRunning }: Pick<LeaseRequest, 'scope' | 'mostRunning'>): number | undefined =>
  scope.organizationId === undefined ? mostRunning : undefined

/**
 * Query for the organizations with ready steps. Jumps from one organization to the next in the index, so that its cost
 * depends on their number and not on the number of steps.
 */
const waitingOrganizations = (isWaiting: SQL | undefined) => sql`
  waiting (organization_id) as (
    (select ${steps.organizationId} from ${steps} where ${isWaiting} order by ${steps.organizationId} limit 1)
    union all
    select (
      select ${steps.organizationId} from ${steps}
      where ${isWaiting} and ${steps.organizationId} > waiting.organization_id
      order by ${steps.organizationId} limit 1
    ) from waiting where waiting.organization_id is not null
  )`

/** Subquery for the number of an organization's active steps on the runners of the scope. */
const inProgress = (scope: StepScope, organizationId: SQL) => sql`(
  select count(*) from ${steps}
  where ${steps.organizationId} = ${organizationId} and ${steps.status} = 'IN_PROGRESS'
    and ${steps.runnerId} is not null and ${isFor(scope)}
)`

/** Ready step, and its stack. */
type Due = { id: string; stackId: string | null }

/**
 * Returns the first ready steps in fair order: the organizations with the fewest active steps come first, and each
 * further step of an organization counts as active.
 */
function dueSteps(db: Db, claimant: LeaseRequest, most: number): Promise<Due[]> {
  const { stepTypes, scope } = claimant
  const isWaiting = and(isReady(stepTypes), isFor(scope))
  const turns = sql`(
    with recursive ${waitingOrganizations(isWaiting)}
    select ready.id, ready.stack_id,
      under_way.number + row_number() over (partition by waiting.organization_id order by ready.id) as turn
    from waiting
    cross join lateral ${inProgress(scope, sql`waiting.organization_id`)} as under_way (number)
    cross join lateral (
      select ${steps.id}, ${steps.stackId} from ${steps}
      where ${isWaiting} and ${steps.organizationId} = waiting.organization_id and ${hasFreeStack(db)}
      order by ${steps.id} limit ${most}
    ) as ready
  ) as turns`
  const cap = capOf(claimant)
  return db
    .select({ id: sql<string>`turns.id`, stackId: sql<string | null>`turns.stack_id` })
    .from(turns)
    .where(cap === undefined ? undefined : sql`turns.turn <= ${cap}`)
    .orderBy(sql`turns.turn`, sql`turns.id`)
    .limit(most)
}

/** Counts the active steps of an organization on shared runners. */
export async function countOnSharedRunners(db: Db, organizationId: string): Promise<number> {
  const [row] = await db
    .select({ number: sql<string>`number` })
    .from(sql`${inProgress({}, sql`${organizationId}`)} as one (number)`)
  return Number(row?.number ?? 0)
}

/** Serializes lease requests with a limit, because two concurrent ones could exceed it. */
const lockCaps = (tx: Db) => tx.execute(sql`select pg_advisory_xact_lock(hashtext('runner claims'))`)

/**
 * Leases up to `most` steps that wait for a runner: fairly between organizations, oldest first within each. Locks the
 * stack of a step, so that no stack has two active steps.
 */
export async function leaseSteps(db: Db, claimant: LeaseRequest, most: number): Promise<PipelineStepExecutionRow[]> {
  if (capOf(claimant) !== undefined) return db.transaction((tx) => leaseWithinLimit(tx, claimant, most))
  const due = await dueSteps(db, claimant, most * candidatesPerStep)
  if (due.length === 0) return []
  if (due.every(({ stackId }) => stackId === null)) return startAttempts(db, claimant, due, most)
  return db.transaction((tx) => leaseWithinLimit(tx, claimant, most))
}

async function leaseWithinLimit(tx: Db, claimant: LeaseRequest, most: number): Promise<PipelineStepExecutionRow[]> {
  if (capOf(claimant) !== undefined) await lockCaps(tx)
  const due = await dueSteps(tx, claimant, most * candidatesPerStep)
  const locked = new Set((await free(tx, claimant, due)).map(({ id }) => id))
  const first = due.filter(({ id }) => locked.has(id)).slice(0, most)
  const held = await lockStacks(
    tx,
    first.flatMap(({ stackId }) => stackId ?? []),
  )
  const taken = first.filter(({ stackId }) => stackId === null || held.delete(stackId))
  return taken.length === 0 ? [] : startAttempts(tx, claimant, taken, most)
}

/** Query for the steps that are still ready and not locked; locks them until the end of the transaction. */
const free = (db: Db, { scope, stepTypes }: LeaseRequest, due: readonly Due[]) =>
  db
    .select({ id: steps.id })
    .from(steps)
    .where(and(isOneOf(due), isFor(scope), isReady(stepTypes)))
    .orderBy(sql`array_position(${idsOf(due)}, ${steps.id})`)
    .for('update', skipLocked)

/** Starts the attempts of the first `most` free steps. A single statement needs no transaction. */
async function startAttempts(
  db: Db,
  claimant: LeaseRequest,
  due: readonly Due[],
  most: number,
): Promise<PipelineStepExecutionRow[]> {
  const { runnerId, leaseUntil, now } = claimant
  const taken = db.$with('taken').as(free(db, claimant, due).limit(most)) // evaluated once, regardless of the plan
  const begun = await db
    .with(taken)
    .update(steps)
    .set({
      status: 'IN_PROGRESS',
      attemptEpoch: sql`${steps.attemptEpoch} + 1`,
      runnerId,
      leaseUntil,
      startedAt: now,
      queueMetadata: {},
      revision: sql`${steps.revision} + 1`,
      updatedAt: sql`now()`,
    })
    .where(and(inArray(steps.id, db.select({ id: taken.id }).from(taken)), hasFreeStack(db)))
    .returning()
  for (const step of begun) emitStatusChange(db, 'step execution', { status: 'QUEUED' }, step)
  return begun
}

/** One array parameter, so that the prepared statement is the same for any number of ids. */
const idsOf = (due: readonly Due[]) => sql`${sql.param(due.map(({ id }) => id))}::text[]`
const isOneOf = (due: readonly Due[]) => sql`${steps.id} = any(${idsOf(due)})`

/** Returns steps to the queue that were leased for a runner which has gone meanwhile. */
export async function returnToQueue(db: Db, claimed: readonly PipelineStepExecutionRow[]): Promise<void> {
  const isAsClaimed = claimed.map(({ id, runnerId, attemptEpoch }) =>
    and(eq(steps.id, id), eq(steps.runnerId, runnerId ?? ''), eq(steps.attemptEpoch, attemptEpoch)),
  )
  if (isAsClaimed.length === 0) return
  const givenBack = await db
    .update(steps)
    .set({
      status: 'QUEUED',
      queueReason: 'RUNNER_CAPACITY',
      runnerId: null,
      leaseUntil: null,
      revision: sql`${steps.revision} + 1`,
      updatedAt: sql`now()`,
    })
    .where(and(eq(steps.status, 'IN_PROGRESS'), or(...isAsClaimed)))
    .returning({ id: steps.id, organizationId: steps.organizationId, status: steps.status })
  for (const step of givenBack) emitStatusChange(db, 'step execution', { status: 'IN_PROGRESS' }, step)
}

/** Returns the stacks that are not locked, and locks them until the end of the transaction. */
async function lockStacks(tx: Db, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const held = await tx
    .select({ id: stacks.id })
    .from(stacks)
    .where(inArray(stacks.id, ids))
    .for('no key update', skipLocked)
  return new Set(held.map(({ id }) => id))
}

/** Records which step occupies the stack of each waiting step. */
export async function recordLockedStacks(db: Db, stepTypes: string[]): Promise<void> {
  const metadata = sql<Json>`jsonb_build_object('stackId', ${steps.stackId}, 'heldBy', ${busy.id})`
  const isNews = or(eq(steps.queueReason, 'RUNNER_CAPACITY'), sql`${steps.queueMetadata} <> ${metadata}`)
  const locked = and(isReady(stepTypes), isNotNull(steps.stackId), onSameStack, isNews)
  const free = db
    .select({ id: steps.id })
    .from(steps)
    .innerJoin(busy, onSameStack)
    .where(locked)
    .for('update', { of: steps, ...skipLocked })
  await db
    .update(steps)
    .set({
      queueReason: 'STACK_LOCKED',
      queueMetadata: metadata,
      revision: sql`${steps.revision} + 1`,
      updatedAt: sql`now()`,
    })
    .from(busy)
    .where(and(inArray(steps.id, free), locked))
}

/** Maximum number of steps per organization whose reason is updated at a time; they are the next ones. */
const maxRecorded = 100

/**
 * Records which steps for shared runners wait because of their organization's limit, and clears that reason for others.
 */
export async function recordCappedSteps(db: Db, stepTypes: string[], mostRunning: number): Promise<void> {
  const isWaiting = and(isReady(stepTypes), isFor({}), eq(steps.queueReason, 'RUNNER_CAPACITY'))
  const capped = sql`jsonb_build_object('limit', 'runningSteps', 'most', ${mostRunning}::int)`
  const told = sql`case when under_way.number >= ${mostRunning} then ${capped} else '{}'::jsonb end`
  const stale = sql`(
    with recursive ${waitingOrganizations(isWaiting)}
    select ready.id, ready.told from waiting
    cross join lateral ${inProgress({}, sql`waiting.organization_id`)} as under_way (number)
    cross join lateral (
      select first.id, ${told} as told from (
        select ${steps.id}, ${steps.queueMetadata} as queue_metadata from ${steps}
        where ${isWaiting} and ${steps.organizationId} = waiting.organization_id
        order by ${steps.id} limit ${maxRecorded}
      ) as first where first.queue_metadata <> ${told}
    ) as ready
  ) as stale`
  await db
    .update(steps)
    .set({ queueMetadata: sql`stale.told`, revision: sql`${steps.revision} + 1`, updatedAt: sql`now()` })
    .from(stale)
    .where(and(sql`${steps.id} = stale.id`, eq(steps.status, 'QUEUED')))
}

const isInProgressAt = ({ runnerId, scope }: RunnerKey) =>
  and(eq(steps.runnerId, runnerId), eq(steps.status, 'IN_PROGRESS'), isFor(scope))

/** Returns the active attempts of a runner. */
export function attemptsOf(db: Db, runner: RunnerKey): Promise<PipelineStepExecutionRow[]> {
  return db.select().from(steps).where(isInProgressAt(runner))
}

/** Active attempt of a runner, and whether it must stop because of a cancellation or timeout. */
export type Held = { id: string; attemptEpoch: number; leaseUntil: Date | null; isToStop: boolean }

/** Returns the attempts of a runner. An attempt that is missing does not belong to the runner any more. */
export function heldAttempts(db: Db, runner: RunnerKey): Promise<Held[]> {
  return db
    .select({ id: steps.id, attemptEpoch: steps.attemptEpoch, leaseUntil: steps.leaseUntil, isToStop })
    .from(steps)
    .innerJoin(pipelineRuns, eq(pipelineRuns.id, steps.pipelineRunId))
    .where(isInProgressAt(runner))
}

const isToStop = sql<boolean>`(${steps.cancelRequestedAt} is not null or ${pipelineRuns.cancelRequest} is not null)`

/** Extends the leases of a runner's steps. */
export async function extendLeases(
  db: Db,
  { runnerId, ids, leaseUntil }: { runnerId: string; ids: string[]; leaseUntil: Date },
): Promise<void> {
  const isOurs = and(inArray(steps.id, ids), eq(steps.runnerId, runnerId), eq(steps.status, 'IN_PROGRESS'))
  const free = db.select({ id: steps.id }).from(steps).where(isOurs).for('update', skipLocked)
  await db.update(steps).set({ leaseUntil }).where(inArray(steps.id, free))
}

/**
 * Extends all leases when the service starts, because it could not receive heartbeats before. A runner that is gone is
 * detected one lease later.
 */
export async function extendAllLeases(db: Db, until: Date): Promise<void> {
  const isUnderWay = and(eq(steps.status, 'IN_PROGRESS'), isNotNull(steps.runnerId), lt(steps.leaseUntil, until))
  const free = db.select({ id: steps.id }).from(steps).where(isUnderWay).for('update', skipLocked)
  await db.update(steps).set({ leaseUntil: until }).where(inArray(steps.id, free))
}

/** Updates an attempt if it is the current one. */
export async function saveAttempt(
  db: Db,
  attempt: AttemptKey,
  note: Partial<
    Pick<PipelineStepExecutionRow, 'inputData' | 'statusDetail' | 'progress' | 'moduleInstanceId' | 'logs'>
  >,
): Promise<void> {
  await db
    .update(steps)
    .set({ ...note, updatedAt: sql`now()` })
    .where(isCurrentAttempt(attempt))
}

const presentStep = prepared((db) =>
  db
    .select()
    .from(steps)
    .where(
      and(
        eq(steps.organizationId, sql.placeholder('organizationId')),
        eq(steps.id, sql.placeholder('id')),
        eq(steps.status, 'IN_PROGRESS'),
        eq(steps.attemptEpoch, sql.placeholder('attemptEpoch')),
      ),
    )
    .prepare('find_present_step'),
)

/** Returns the step of an attempt that is in progress. */
export async function findCurrentStep(db: Db, attempt: AttemptKey): Promise<PipelineStepExecutionRow | undefined> {
  const [step] = await presentStep(db).execute(attempt)
  return step
}

export async function findRunOf(
  db: Db,
  step: Pick<PipelineStepExecutionRow, 'organizationId' | 'pipelineRunId' | 'id'>,
): Promise<PipelineRunRow> {
  const [run] = await db
    .select()
    .from(pipelineRuns)
    .where(and(eq(pipelineRuns.organizationId, step.organizationId), eq(pipelineRuns.id, step.pipelineRunId)))
  if (!run) throw new Error(`the run of the step ${step.id} is gone`)
  return run
}
