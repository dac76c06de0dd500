import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/open.ts'
import type { Sweep } from '../db/sweeps.ts'
import { createDispatch } from './dispatch.ts'
import type { EngineConnection } from './engine.ts'
import type { Overdue } from './overdue.ts'

type ReconcilerParts = {
  db: Db
  engine: Pick<EngineConnection, 'send' | 'healthy' | 'activeKeys'>
  /** Told of each message that is sent again, by the object that it is for. */
  onSentAgain: (object: string) => void
  clock: Clock
  log: Logger
}

/** Sends again what is overdue and not in the engine. */
export const reconciling = (parts: ReconcilerParts, overdue: readonly Overdue[]): Sweep[] =>
  overdue.map((one) => ({ what: 'wake-ups that are overdue', due: one.due, sweep: () => reconcile(parts, one) }))

/**
 * Sends no message that the engine has already: an engine that is behind would only be further behind. Nor does it send
 * anything to an engine that does not answer: then all stays due, and is sent as soon as the engine does.
 */
async function reconcile({ db, engine, onSentAgain, clock, log }: ReconcilerParts, overdue: Overdue): Promise<void> {
  if (!(await engine.healthy())) return
  const due = await overdue.find(db, clock)
  const active = await engine
    .activeKeys(overdue.service, Array.from(new Set(due.map(({ key }) => key))))
    .catch((err) => {
      log.warn({ err, object: overdue.service }, 'the engine does not say what it has; overdue wake-ups are sent again')
      return new Set<string>()
    })
  const lost = due.filter(({ key }) => !active.has(key))
  if (lost.length === 0) return
  const ids = lost.map(({ id }) => id)
  const messages = await overdue.claim(db, clock, ids)
  const dispatch = createDispatch({ engine, log })
  for (const message of messages) {
    onSentAgain(overdue.service)
    dispatch.soon(message)
  }
  await dispatch.settled()
  log.info({ object: overdue.service, overdue: due.length, sentAgain: messages.length }, 'sent overdue wake-ups again')
}
