import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/open.ts'
import type { Sweep } from '../db/sweeps.ts'
import type { Engine } from './client.ts'
import type { Overdue } from './overdue.ts'

type ReconcilerParts = {
  db: Db
  engine: Engine
  /** Told of each message that is sent again, by the object that it is for. */
  onSentAgain: (object: string) => void
  clock: Clock
  log: Logger
}

/** Sends again what is overdue; what the engine does not take now is overdue again soon. */
export const reconciling = (parts: ReconcilerParts, overdue: readonly Overdue[]): Sweep[] =>
  overdue.map(({ due, claim }) => ({ what: 'wake-ups that are overdue', due, sweep: () => reconcile(parts, claim) }))

async function reconcile(
  { db, engine, onSentAgain, clock, log }: ReconcilerParts,
  claim: Overdue['claim'],
): Promise<void> {
  const messages = await claim(db, clock)
  for (const { service } of messages) onSentAgain(service)
  const sent = await Promise.allSettled(
    messages.map(({ service, key, handler, payload }) => engine.send(service, key, handler, payload)),
  )
  const failed = sent.filter(({ status }) => status === 'rejected').length
  if (messages.length > 0) log.info({ overdue: messages.length, failed }, 'sent overdue wake-ups again')
}
