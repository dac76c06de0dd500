import type {
  AcquireAttempts,
  AcquireAttemptsResponse,
  Assignment,
  AttemptName,
} from '@sluice/contract/runner-protocol'
import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { isDraining, recordSeen } from '../runner-pools/join.ts'
import { recordReceipt } from '../runner-tasks/store.ts'
import type { Assignments } from './assignments.ts'
import {
  attemptsOf,
  doesAnyWait,
  extendLeases,
  type Held,
  heldAttempts,
  leaseSteps,
  recordCappedSteps,
  recordLockedStacks,
  returnToQueue,
} from './claim.ts'
import type { ReadySteps } from './ready.ts'
import { type AttemptScope, isOfAttempt, isOfPool, type RunnerScope } from './runner-tokens.ts'
import type { FindTenancy } from './tenancy.ts'

export type RunnerPace = {
  /** Interval in milliseconds at which a waiting lease request looks for steps without a notification. */
  lookMs: number
  /** Interval in milliseconds at which a runner sends heartbeats. */
  heartbeatMs: number
  /** Duration of a lease without a heartbeat, in milliseconds of the service's clock. */
  leaseMs: number
}

export const defaultPace: RunnerPace = { lookMs: 500, heartbeatMs: 500, leaseMs: 30_000 }

/** Adjusts the lease duration to a fast clock, because a runner lives in real time. */
export const paceOnClock = (pace: RunnerPace, clock: Pick<Clock, 'elapsedMs'>): RunnerPace => ({
  ...pace,
  leaseMs: clock.elapsedMs(pace.leaseMs),
})

/** Pace with an embedded database, in which only this process makes steps ready, and notifies waiting requests. */
export const embeddedPace: RunnerPace = { ...defaultPace, lookMs: 2_000 }

/**
 * Returns the pace for a scope. The lease of a task's runner is longer than the polling interval of the task, because
 * the cloud reports more precisely what happened to it.
 */
export const paceFor = (scope: RunnerScope, { lookMs, heartbeatMs, leaseMs }: RunnerPace): RunnerPace =>
  isOfAttempt(scope) ? { lookMs, heartbeatMs: heartbeatMs * 4, leaseMs: leaseMs * 4 } : { lookMs, heartbeatMs, leaseMs }

export type ClaimsParts = {
  db: Db
  clock: () => Date
  log: Logger
  handOut: Assignments
  ready: ReadySteps
  stepTypes: string[]
  pace: RunnerPace
  tenancyOf: FindTenancy
  /** Maximum number of an organization's active steps on shared runners. */
  mostRunning: number | undefined
}

/** Returns the attempts already assigned to a runner, and newly assigned ones; long-polls if there are none. */
export async function answerLeaseRequest(
  parts: ClaimsParts,
  scope: RunnerScope,
  { runnerId, most, holds, waitMs }: AcquireAttempts,
  gone: AbortSignal,
): Promise<AcquireAttemptsResponse> {
  const { db, ready, pace, clock } = parts
  if (isOfAttempt(scope)) return answerTask(parts, scope, { runnerId, holds })
  if (isOfPool(scope)) await recordSeen(db, scope, runnerId, clock())
  const held = new Set(holds.map(keyOf))
  const own = (await attemptsOf(db, { runnerId, scope })).filter((step) => !held.has(keyOf(step)))
  const again = await assignAll(parts, scope, own, false)
  await recordHeartbeat(parts, scope, { runnerId, attempts: again })
  const deadline = performance.now() + waitMs
  for (;;) {
    const { count } = ready
    const isAnyWaiting = await doesAnyWait(db)
    const free = gone.aborted || !isAnyWaiting ? 0 : most - again.length
    const fresh = free > 0 ? await leaseNewSteps(parts, scope, { runnerId, most: free, gone }) : []
    if (again.length + fresh.length > 0) return { attempts: [...again, ...fresh] }
    const leftMs = deadline - performance.now()
    if (leftMs <= 0 || gone.aborted) return { attempts: [] }
    if (isAnyWaiting) await recordWaitReasons(parts)
    await ready.past(count, Math.min(leftMs, pace.lookMs), gone)
  }
}

/** Records why steps cannot be leased. */
async function recordWaitReasons({ db, stepTypes, mostRunning }: ClaimsParts): Promise<void> {
  await recordLockedStacks(db, stepTypes)
  if (mostRunning !== undefined) await recordCappedSteps(db, stepTypes, mostRunning)
}

/** Returns the attempt of a task's runner, which was leased for it when the task was created. */
async function answerTask(
  parts: ClaimsParts,
  scope: AttemptScope,
  { runnerId, holds }: Pick<AcquireAttempts, 'runnerId' | 'holds'>,
): Promise<AcquireAttemptsResponse> {
  const { db, clock } = parts
  const [step] = await attemptsOf(db, { runnerId, scope })
  if (!step) throw new ApiError('attemptOver', 'The attempt of this task has ended.')
  if (holds.length > 0) return { attempts: [] }
  const isNew = await recordReceipt(db, step, clock())
  const attempts = await assignAll(parts, scope, [step], isNew)
  await recordHeartbeat(parts, scope, { runnerId, attempts })
  return { attempts }
}

async function leaseNewSteps(
  parts: ClaimsParts,
  scope: RunnerScope,
  { runnerId, most, gone }: { runnerId: string; most: number; gone: AbortSignal },
): Promise<Assignment[]> {
  const { db, clock, pace, stepTypes, ready, mostRunning } = parts
  if (isOfPool(scope) && (await isDraining(db, scope, runnerId))) return []
  const now = clock()
  const leaseUntil = new Date(now.getTime() + pace.leaseMs)
  const steps = await leaseSteps(db, { runnerId, stepTypes, leaseUntil, now, scope, mostRunning }, most)
  const assigned = gone.aborted ? [] : await assignAll(parts, scope, steps, true)
  if (!gone.aborted) return assigned
  // The runner has stopped or died meanwhile, so that others need not wait for the end of its lease.
  await returnToQueue(db, steps)
  ready.tell()
  return []
}

/** Dispatches steps. If that fails because the database is unavailable, the next request dispatches them. */
async function assignAll(
  { handOut, log, tenancyOf }: ClaimsParts,
  scope: RunnerScope,
  steps: PipelineStepExecutionRow[],
  isNew: boolean,
): Promise<Assignment[]> {
  if (steps.length === 0) return []
  const how = { isNew, tenancy: await tenancyOf(scope) }
  const assigned = await Promise.allSettled(steps.map((step) => handOut.assign(step, how)))
  return assigned.flatMap((one) => {
    if (one.status === 'fulfilled') return one.value ?? []
    log.warn({ err: one.reason }, 'a step that was claimed could not be handed out yet')
    return []
  })
}

/** Extends the leases of a runner, and returns for each attempt whether it continues, must stop, or is lost. */
export async function recordHeartbeat(
  { db, clock, pace }: Pick<ClaimsParts, 'db' | 'clock' | 'pace'>,
  scope: RunnerScope,
  { runnerId, attempts }: { runnerId: string; attempts: AttemptName[] },
) {
  if (attempts.length === 0) return []
  if (isOfPool(scope)) await recordSeen(db, scope, runnerId, clock())
  const held = new Map((await heldAttempts(db, { runnerId, scope })).map((one) => [keyOf(one), one]))
  const { leaseMs } = paceFor(scope, pace)
  const leaseUntil = new Date(clock().getTime() + leaseMs)
  // Extending each lease at each heartbeat would be most of the cost of an idle runner.
  const dueBefore = new Date(leaseUntil.getTime() - leaseMs / 6)
  const due = attempts.filter((name) => {
    const lease = held.get(keyOf(name))?.leaseUntil
    return lease && lease < dueBefore
  })
  const ids = due.map(({ id }) => id)
  if (ids.length > 0) await extendLeases(db, { runnerId, ids, leaseUntil })
  return attempts.map(({ id, attemptEpoch }) => ({
    id,
    attemptEpoch,
    verdict: verdictOn(held.get(keyOf({ id, attemptEpoch }))),
  }))
}

/**
 * Returns attempts to the queue that a stopping runner received last, so that others need not wait for the end of its
 * lease.
 */
export async function releaseAttempts(
  { db, ready }: Pick<ClaimsParts, 'db' | 'ready'>,
  scope: RunnerScope,
  { runnerId, attempts }: { runnerId: string; attempts: AttemptName[] },
): Promise<void> {
  if (isOfAttempt(scope)) return // no other runner can execute it
  const kept = new Set(attempts.map(keyOf))
  const unheard = (await attemptsOf(db, { runnerId, scope })).filter((step) => !kept.has(keyOf(step)))
  await returnToQueue(db, unheard)
  if (unheard.length > 0) ready.tell()
}

function verdictOn(held: Held | undefined): 'go-on' | 'stop' | 'lost' {
  if (!held) return 'lost'
  return held.isToStop ? 'stop' : 'go-on'
}

const keyOf = ({ id, attemptEpoch }: AttemptName): string => `${id}-${attemptEpoch}`
