import { type ObjectContext, object, rpc } from '@restatedev/restate-sdk'
import type { Logger } from 'pino'
import type { Cloud } from '../cloud/access.ts'
import { CloudRefusal, CloudTrouble } from '../cloud/answer.ts'
import { findConnection } from '../cloud-accounts/connection.ts'
import { stepService } from '../pipeline-runs/wake.ts'
import { stepsWaitingFor } from '../pipeline-step-executions/store.ts'
import type { Db } from '../platform/db/open.ts'
import { sendMessages } from '../platform/engine/messages.ts'
import { shortSteps } from '../platform/engine/short-steps.ts'
import { carryOut } from './ecs/carry-out.ts'
import {
  attempted,
  type CloudAction,
  changesCloud,
  expired,
  nextAction,
  refused,
  settled,
  started,
  troubled,
} from './ecs/machine.ts'
import { queueTimedOut } from './errors.ts'
import { isFinal } from './machine.ts'
import { finish, type PollPace, type Standing } from './standing.ts'
import { loadForWork, lockTarget, readQueue, saveStanding, standingOf } from './store.ts'
import type { DeploymentRow } from './tables.ts'
import { deploymentService, targetService, type WakeUp } from './wake.ts'

export type DeploymentParts = { db: Db; cloud: Cloud; pace: PollPace; clock: () => Date; log: Logger }

/** What a handler leaves to do after its work in the database and the cloud is done. */
type Next = (
  | { do: 'nothing' }
  | { do: 'wake'; afterMs: number; seq?: number }
  | { do: 'admit'; moduleInstanceId: string }
) & {
  /** The steps of a pipeline run that wait for what has happened now. */
  steps?: string[]
}

/** Keyed by module instance id: starts the next deployment of the instance when it is free. */
export const targetObject = ({ db, clock }: DeploymentParts) =>
  object({
    name: targetService,
    handlers: {
      admit: async (ctx: ObjectContext): Promise<void> => {
        const next = await ctx.run('start the next deployment', () => startNext(db, ctx.key, clock))
        if (next === null) return
        ctx.objectSendClient<DeploymentObject>({ name: deploymentService }, next).advance({})
      },
    },
    options: shortSteps,
  })

/** Keyed by deployment id: each call does what comes next at once, step by step, and sets the wake-up for what comes later. */
export const deploymentObject = (parts: DeploymentParts) =>
  object({
    name: deploymentService,
    handlers: {
      advance: async (ctx: ObjectContext, wakeUp: WakeUp): Promise<void> => {
        const next = await ctx.run('advance', () => advanceAndTell(parts, ctx.key, wakeUp ?? {}))
        sendMessages(
          ctx,
          (next.steps ?? []).map((key) => ({ service: stepService, key, handler: 'advance' })),
        )
        if (next.do === 'admit') {
          ctx.objectSendClient<TargetObject>({ name: targetService }, next.moduleInstanceId).admit()
        }
        if (next.do === 'wake') {
          const again = next.seq === undefined ? {} : { seq: next.seq }
          ctx
            .objectSendClient<DeploymentObject>({ name: deploymentService }, ctx.key)
            .advance(again, rpc.sendOpts({ delay: next.afterMs }))
        }
      },
    },
    options: shortSteps,
  })

type TargetObject = ReturnType<typeof targetObject>
type DeploymentObject = ReturnType<typeof deploymentObject>

/** Starts the oldest waiting deployment of the instance, unless one runs. Its id, or null; also when it just started. */
async function startNext(db: Db, moduleInstanceId: string, clock: () => Date): Promise<string | null> {
  return db.transaction(async (tx) => {
    await lockTarget(tx, moduleInstanceId)
    const now = clock() // after the lock was had: the one before may have ended while we waited for it
    // A call that is repeated after a crash finds the one that it started: sending it a second message does no harm.
    const { active, pending } = await readQueue(tx, moduleInstanceId)
    if (active) return active.progress.step === 'prepare' ? active.id : null
    for (const row of pending) {
      const standing = standingOf(row)
      if (row.deadlineAt && row.deadlineAt <= now) {
        await saveStanding(tx, row.revision, finish(standing, 'CANCELLED', now, queueTimedOut()))
        continue
      }
      await saveStanding(tx, row.revision, started(standing, now))
      return row.id
    }
    return null
  })
}

/** Steps that follow at once are taken in one go, so that each costs a write but no message; then others get a turn. */
const mostStepsAtOnce = 8

async function advanceAndTell(parts: DeploymentParts, id: string, wakeUp: WakeUp): Promise<Next> {
  const { row, next } = await advance(parts, id, wakeUp)
  if (!row?.pipelineRunId || !concernsStep(row)) return next
  const { organizationId, pipelineRunId } = row
  return { ...next, steps: await stepsWaitingFor(parts.db, { organizationId, pipelineRunId, deploymentId: id }) }
}

/** A step of a pipeline run waits for its deployment to end, or to pause. */
const concernsStep = ({ status, progress }: DeploymentRow): boolean =>
  isFinal(status) || progress.hooks.some(({ state }) => state === 'waiting')

/** What is left to do, and the row as it stands then. */
type Advanced = { row?: DeploymentRow; next: Next }

async function advance(parts: DeploymentParts, id: string, { seq }: WakeUp): Promise<Advanced> {
  let readAt = performance.now()
  let row = await loadForWork(parts.db, id)
  if (!row) return { next: { do: 'nothing' } }
  if (isFinal(row.status)) return { row, next: afterSave(row, parts.clock()) }
  if (seq !== undefined && seq !== row.wakeSeq) return { next: { do: 'nothing' } } // a timer from before the last write
  if (row.status === 'PENDING') return { next: { do: 'admit', moduleInstanceId: row.moduleInstanceId } } // it waits for its turn

  for (let steps = 0; steps < mostStepsAtOnce; steps++) {
    const saved: DeploymentRow | undefined = await takeStep(parts, row, readAt)
    if (!saved) return { next: { do: 'wake', afterMs: 0 } } // somebody decided something meanwhile: look again
    const next = afterSave(saved, parts.clock())
    if (next.do !== 'wake' || next.afterMs > 0) return { row: saved, next }
    readAt = performance.now()
    row = saved
  }
  return { row, next: afterSave(row, parts.clock()) }
}

/** Does the one thing that comes next and writes it down; undefined when the row has changed meanwhile. */
async function takeStep(
  parts: DeploymentParts,
  row: DeploymentRow,
  readAt: number,
): Promise<DeploymentRow | undefined> {
  const { db, clock } = parts
  const action = nextAction(standingOf(row), clock())
  if (action.do === 'rest') return row
  if (action.do === 'expire') return saveStanding(db, row.revision, expired(standingOf(row), clock()))
  const begun = changesCloud(action) ? await saveStanding(db, row.revision, attempted(standingOf(row), clock())) : row
  if (!begun) return undefined
  return saveStanding(db, begun.revision, await outcomeOf(parts, begun, action, readAt))
}

function afterSave({ status, moduleInstanceId, wakeAt, wakeSeq }: DeploymentRow, now: Date): Next {
  if (isFinal(status)) return { do: 'admit', moduleInstanceId }
  return { do: 'wake', afterMs: Math.max(0, (wakeAt?.getTime() ?? 0) - now.getTime()), seq: wakeSeq }
}

/**
 * After this long a row may have been taken over by another worker (the process was frozen, the database was slow):
 * the cloud is not changed on the strength of it any more. Milliseconds.
 */
const freshMs = 15_000

async function outcomeOf(
  parts: DeploymentParts,
  row: DeploymentRow,
  action: CloudAction,
  readAt: number,
): Promise<Standing> {
  const { db, cloud, pace, clock, log } = parts
  const standing = standingOf(row)
  let isSent = false
  const beforeSend = () => {
    if (performance.now() - readAt > freshMs) throw new CloudTrouble('this process stood still; looking again')
    isSent = true
  }
  try {
    const account = await findConnection(db, row.organizationId, row.release.cloudAccountId)
    if (!account)
      throw new CloudRefusal('NotConnected', `Cloud account ${row.release.cloudAccountId} is not connected.`)
    const clients = cloud.clientsFor(account, row.release.region)
    return await carryOut(action, standing, { clients, pace, clock, beforeSend })
  } catch (error) {
    if (error instanceof CloudTrouble) {
      log.debug({ deployment: row.id, action: action.do, err: error }, 'the cloud is in trouble')
      const isOnItsWay = isSent && !error.isAnswered
      return troubled(isOnItsWay ? standing : settled(standing), error.message, pace, clock())
    }
    if (error instanceof CloudRefusal) {
      log.info({ deployment: row.id, action: action.do, reason: error.reason }, 'the cloud refused')
      return refused(standing, { name: error.reason, message: error.message }, action, pace, clock())
    }
    throw error
  }
}
