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
import { tellChange } from '../../platform/db/told.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { type AttemptKey, isPresentAttempt } from '../pipeline-step-executions/present-attempt.ts'
import {
  type PipelineRunRow,
  type PipelineStepExecutionRow,
  pipelineRuns,
  pipelineStepExecutions as steps,
} from '../pipelines/tables.ts'
import type { RunnerScope } from './runner-tokens.ts'

type Json = Record<string, unknown>

/** Whose steps are meant: those that a runner may claim, or that wait for tasks of an execution environment. */
export type StepScope = RunnerScope | { organizationId: string; executionEnvironmentId: string }

/** A runner, which is known by its name among those of its scope alone. */
export type RunnerKey = { runnerId: string; scope: StepScope }

/** Who claims, what it can do, and until when its word counts. */
export type Claimant = RunnerKey & {
  stepTypes: string[]
  leaseUntil: Date
  now: Date
  /** How many steps of an organization the installation's own runners may carry out at a time; without, any number. */
  mostRunning?: number | undefined
}

/**
 * Rows that somebody else is at are passed by until the next time: two who wait for each other's rows would wait for
 * ever.
 */
const passing = { skipLocked: true } as const

const busy = alias(steps, 'busy')

/** A step that is under way on the same stack. */
const onSameStack = and(eq(busy.stackId, steps.stackId), eq(busy.status, 'IN_PROGRESS'))

/**
 * Runners of a pool carry out what is its own, that of a task the one attempt that it was started for; the
 * installation's own runners carry out what is no execution environment's.
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

/** In the words of the index: with parameters, a statement that is planned once would not use it. */
const anyWaiting = prepared((db) =>
  db
    .select({ id: steps.id })
    .from(steps)
    .where(sql`status = 'QUEUED' and queue_reason in ('RUNNER_CAPACITY', 'STACK_LOCKED')`)
    .limit(1)
    .prepare('find_step_that_waits'),
)

/** Whether a step of anybody waits for a runner. It is what runners with nothing to do ask again and again. */
export const doesAnyWait = async (db: Db): Promise<boolean> => (await anyWaiting(db).execute()).length > 0

const hasFreeStack = (db: Db) =>
  or(isNull(steps.stackId), notExists(db.select({ one: sql`1` }).from(busy).where(onSameStack)))

/** More than are wanted, since others may be at some of them. */
const candidatesPerStep = 2

/** The runners of a pool are an organization's own; of the others, it may have so many at a time. */
const capOf = ({ scope, mostRunning }: Pick<Claimant, 'scope' | 'mostRunning'>): number | undefined =>
  scope.organizationId === undefined ? mostRunning : undefined

/**
 * The organizations that have ready steps: from each to the next in the index, so that it costs by their number and not
 * by that of the steps.
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

/** How many steps of an organization are under way on the runners of the scope. */
const inProgress = (scope: StepScope, organizationId: SQL) => sql`(
  select count(*) from ${steps}
  where ${steps.organizationId} = ${organizationId} and ${steps.status} = 'IN_PROGRESS'
    and ${steps.runnerId} is not null and ${isFor(scope)}
)`

/** A step that is due, and the stack that it works on. */
type Due = { id: string; stackId: string | null }

/**
 * The first ready steps in the order in which they are due, beginning with the organization that has the fewest under
 * way: each further step of an organization stands behind those of all that have as many.
 */
function dueSteps(db: Db, claimant: Claimant, most: number): Promise<Due[]> {
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

/** How many of its steps the installation's own runners carry out. */
export async function countOnSharedRunners(db: Db, organizationId: string): Promise<number> {
  const [row] = await db
    .select({ number: sql<string>`number` })
    .from(sql`${inProgress({}, sql`${organizationId}`)} as one (number)`)
  return Number(row?.number ?? 0)
}

/** Two who claim at once would each let an organization have as many as it may. */
const holdCaps = (tx: Db) => tx.execute(sql`select pg_advisory_xact_lock(hashtext('runner claims'))`)

/**
 * Takes up to `most` steps that wait for a runner: fairly between organizations, and of each the oldest first. No two
 * runners take the same step, and no two steps of one stack are under way: whoever takes a step of a stack holds the
 * stack's row while it looks.
 */
export async function claimSteps(db: Db, claimant: Claimant, most: number): Promise<PipelineStepExecutionRow[]> {
  if (capOf(claimant) !== undefined) return db.transaction((tx) => claimWithin(tx, claimant, most))
  const due = await dueSteps(db, claimant, most * candidatesPerStep)
  if (due.length === 0) return []
  if (due.every(({ stackId }) => stackId === null)) return take(db, claimant, due, most)
  return db.transaction((tx) => claimWithin(tx, claimant, most))
}

async function claimWithin(tx: Db, claimant: Claimant, most: number): Promise<PipelineStepExecutionRow[]> {
  if (capOf(claimant) !== undefined) await holdCaps(tx)
  const due = await dueSteps(tx, claimant, most * candidatesPerStep)
  const locked = new Set((await free(tx, claimant, due)).map(({ id }) => id))
  const first = due.filter(({ id }) => locked.has(id)).slice(0, most)
  const held = await holdStacks(
    tx,
    first.flatMap(({ stackId }) => stackId ?? []),
  )
  const taken = first.filter(({ stackId }) => stackId === null || held.delete(stackId))
  return taken.length === 0 ? [] : take(tx, claimant, taken, most)
}

/** Those of the steps that are ready still, and that nobody else is at; they are ours until the transaction ends. */
const free = (db: Db, { scope, stepTypes }: Claimant, due: readonly Due[]) =>
  db
    .select({ id: steps.id })
    .from(steps)
    .where(and(isOneOf(due), isFor(scope), isReady(stepTypes)))
    .orderBy(sql`array_position(${idsOf(due)}, ${steps.id})`)
    .for('update', passing)

/** Begins the attempts of the first `most` of the steps that are free. A single statement needs no transaction. */
async function take(
  db: Db,
  claimant: Claimant,
  due: readonly Due[],
  most: number,
): Promise<PipelineStepExecutionRow[]> {
  const { runnerId, leaseUntil, now } = claimant
  const taken = db.$with('taken').as(free(db, claimant, due).limit(most)) // looked for once, whatever the plan
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
  for (const step of begun) tellChange(db, 'step execution', { status: 'QUEUED' }, step)
  return begun
}

/** As one value, so that the statement is the same for any number of them. */
const idsOf = (due: readonly Due[]) => sql`${sql.param(due.map(({ id }) => id))}::text[]`
const isOneOf = (due: readonly Due[]) => sql`${steps.id} = any(${idsOf(due)})`

/** Puts steps back that were claimed for a runner which was not there any more to hear of it. */
export async function giveBack(db: Db, claimed: readonly PipelineStepExecutionRow[]): Promise<void> {
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
  for (const step of givenBack) tellChange(db, 'step execution', { status: 'IN_PROGRESS' }, step)
}

/** Those of the stacks whose rows nobody else holds; they are ours until the transaction ends. */
async function holdStacks(tx: Db, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const held = await tx
    .select({ id: stacks.id })
    .from(stacks)
    .where(inArray(stacks.id, ids))
    .for('no key update', passing)
  return new Set(held.map(({ id }) => id))
}

/** Says of the steps whose stack is worked on that this is what they wait for, and which step holds it. */
export async function noteLockedStacks(db: Db, stepTypes: string[]): Promise<void> {
  const metadata = sql<Json>`jsonb_build_object('stackId', ${steps.stackId}, 'heldBy', ${busy.id})`
  const isNews = or(eq(steps.queueReason, 'RUNNER_CAPACITY'), sql`${steps.queueMetadata} <> ${metadata}`)
  const locked = and(isReady(stepTypes), isNotNull(steps.stackId), onSameStack, isNews)
  const free = db
    .select({ id: steps.id })
    .from(steps)
    .innerJoin(busy, onSameStack)
    .where(locked)
    .for('update', { of: steps, ...passing })
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

/** So many steps of each organization are told at once that it has as many under way as it may; they are next. */
const toldAtOnce = 100

/** Says of steps for shared runners that their organization has as many under way as it may, and of others not. */
export async function noteCappedSteps(db: Db, stepTypes: string[], mostRunning: number): Promise<void> {
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
        order by ${steps.id} limit ${toldAtOnce}
      ) as first where first.queue_metadata <> ${told}
    ) as ready
  ) as stale`
  await db
    .update(steps)
    .set({ queueMetadata: sql`stale.told`, revision: sql`${steps.revision} + 1`, updatedAt: sql`now()` })
    .from(stale)
    .where(and(sql`${steps.id} = stale.id`, eq(steps.status, 'QUEUED')))
}

const isUnderWayAt = ({ runnerId, scope }: RunnerKey) =>
  and(eq(steps.runnerId, runnerId), eq(steps.status, 'IN_PROGRESS'), isFor(scope))

/** The attempts that a runner has under way, as the database knows them. */
export function attemptsOf(db: Db, runner: RunnerKey): Promise<PipelineStepExecutionRow[]> {
  return db.select().from(steps).where(isUnderWayAt(runner))
}

/** An attempt that is still its runner's, and whether it is to end: it was cancelled, or its time is up. */
export type Held = { id: string; attemptEpoch: number; leaseUntil: Date | null; isToStop: boolean }

/** Looks after the attempts of a runner; those that are missing in the answer are its own no longer. */
export function lookAfter(db: Db, runner: RunnerKey): Promise<Held[]> {
  return db
    .select({ id: steps.id, attemptEpoch: steps.attemptEpoch, leaseUntil: steps.leaseUntil, isToStop })
    .from(steps)
    .innerJoin(pipelineRuns, eq(pipelineRuns.id, steps.pipelineRunId))
    .where(isUnderWayAt(runner))
}

const isToStop = sql<boolean>`(${steps.cancelRequestedAt} is not null or ${pipelineRuns.cancelRequest} is not null)`

/** Says that a runner is alive and still at these steps. */
export async function extendLeases(
  db: Db,
  { runnerId, ids, leaseUntil }: { runnerId: string; ids: string[]; leaseUntil: Date },
): Promise<void> {
  const isOurs = and(inArray(steps.id, ids), eq(steps.runnerId, runnerId), eq(steps.status, 'IN_PROGRESS'))
  const free = db.select({ id: steps.id }).from(steps).where(isOurs).for('update', passing)
  await db.update(steps).set({ leaseUntil }).where(inArray(steps.id, free))
}

/**
 * Believes every runner to be alive until then: for a service that starts, and was not there to hear them. One that is
 * gone is found out a lease later.
 */
export async function believeAllAlive(db: Db, until: Date): Promise<void> {
  const isUnderWay = and(eq(steps.status, 'IN_PROGRESS'), isNotNull(steps.runnerId), lt(steps.leaseUntil, until))
  const free = db.select({ id: steps.id }).from(steps).where(isUnderWay).for('update', passing)
  await db.update(steps).set({ leaseUntil: until }).where(inArray(steps.id, free))
}

/** Writes something down about an attempt, if it is the present one. */
export async function noteAttempt(
  db: Db,
  attempt: AttemptKey,
  note: Partial<
    Pick<PipelineStepExecutionRow, 'inputData' | 'statusDetail' | 'progress' | 'moduleInstanceId' | 'logs'>
  >,
): Promise<void> {
  await db
    .update(steps)
    .set({ ...note, updatedAt: sql`now()` })
    .where(isPresentAttempt(attempt))
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

/** The step of an attempt, while that is under way. */
export async function findPresentStep(db: Db, attempt: AttemptKey): Promise<PipelineStepExecutionRow | undefined> {
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
