import type { Logger } from 'pino'
import type { Db } from '../platform/db/open.ts'
import type { Engine } from '../platform/engine/client.ts'
import { later } from './standing.ts'
import { claimOverdue, type Overdue } from './store.ts'
import { deploymentService, targetService } from './wake.ts'

/** How long past its wake-up a row is left alone: a busy engine is late, not forgetful. Milliseconds. */
const graceMs = 3_000
/** When a claimed row is looked at again if this message is lost as well. Milliseconds. */
const againMs = 15_000
const batch = 500

export type ReconcileParts = { db: Db; engine: Engine; clock: () => Date; log: Logger }

/**
 * Sends the wake-up of every overdue row again. This is what makes the engine's memory expendable: a message that was
 * never sent (a crash after the commit) or that was lost (the engine's data is gone) is sent from the row.
 */
export async function reconcile({ db, engine, clock, log }: ReconcileParts): Promise<number> {
  const now = clock()
  const overdue = await claimOverdue(db, later(now, -graceMs), later(now, againMs), batch)
  const sent = await Promise.allSettled(overdue.map((row) => wake(engine, row)))
  const failed = sent.filter(({ status }) => status === 'rejected').length
  if (overdue.length > 0) log.info({ overdue: overdue.length, failed }, 'woke overdue deployments')
  return overdue.length
}

const wake = (engine: Engine, { id, status, moduleInstanceId, wakeSeq }: Overdue): Promise<string> =>
  status === 'PENDING'
    ? engine.send(targetService, moduleInstanceId, 'admit')
    : engine.send(deploymentService, id, 'advance', { seq: wakeSeq })

/** Reconciles every `everyMs` until stopped; a failed round (no database, no engine) is followed by the next. */
export function startReconciler(parts: ReconcileParts, everyMs = 2_000): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let round: Promise<unknown> = Promise.resolve()
  let isStopped = false
  const next = () => {
    if (isStopped) return
    timer = setTimeout(() => {
      round = reconcile(parts)
        .catch((error) => parts.log.warn({ err: error }, 'overdue deployments could not be woken'))
        .finally(next)
    }, everyMs)
  }
  next()
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await round
    },
  }
}
