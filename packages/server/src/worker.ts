import { ownership } from './platform/db/ownership.ts'
import { startSweeps } from './platform/db/sweeps.ts'
import type { Platform } from './platform/domain.ts'
import type { EngineConnection } from './platform/engine/engine.ts'
import { reconciling } from './platform/engine/reconciler.ts'
import { createTimers } from './platform/engine/timers.ts'

/** Worker role of a process. It can start again after a stop. */
export type WorkerRole = { start(): Promise<void>; stop(): Promise<void> }

/** Creates the worker role of a process. Each start and stop waits for the previous one. */
export function createWorkerRole(platform: Platform, engine: EngineConnection): WorkerRole {
  const undo: (() => unknown)[] = []
  let last: Promise<unknown> = Promise.resolve()
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const next = last.then(work)
    last = next.catch(() => {}) // the caller handles the error
    return next
  }
  const undoAll = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  const start = async () => {
    try {
      await startWorkerRole(platform, engine, (step) => undo.push(step))
    } catch (error) {
      await undoAll()
      throw error
    }
  }
  return { start: () => inOrder(start), stop: () => inOrder(undoAll) }
}

/**
 * Starts the work of all domains: serves their objects to the engine, and then does what no message asks for. `undo`
 * receives what must stop as soon as it runs, also where a later part cannot start.
 */
async function startWorkerRole(
  platform: Platform,
  engine: EngineConnection,
  undo: (stop: () => unknown) => void,
): Promise<void> {
  const { domains, database, wakeUps, clock, metrics, log, logs } = platform
  const { db } = database
  for (const domain of domains) await domain.prepareWork?.(platform)
  const timers = createTimers(wakeUps, clock)
  undo(() => timers.stop())
  const own = ownership(database)
  const works = domains.flatMap((domain) => domain.work?.(platform, { own, timers, undo }) ?? [])
  undo(() => engine.withdraw())
  await engine.serve(works.flatMap(({ objects = [] }) => objects).map((objectBy) => objectBy(clock)))
  const onSentAgain = (object: string) => metrics.sentAgain.inc({ object })
  const overdue = works.flatMap((work) => work.overdue ?? [])
  const sweeping = startSweeps({
    db,
    clock,
    log,
    sweeps: [
      ...reconciling({ db, engine, onSentAgain, clock, log: logs.engine }, overdue),
      ...works.flatMap(({ sweeps = [] }) => sweeps),
    ],
  })
  undo(() => sweeping.stop())
  for (const startTask of works.flatMap(({ tasks = [] }) => tasks)) {
    const task = startTask()
    undo(() => task?.stop())
  }
}
