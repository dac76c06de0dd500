import type { Logger } from 'pino'
import { type Rounds, startRounds } from '../rounds.ts'
import type { Engine } from './client.ts'
import type { Message } from './messages.ts'

/**
 * What must be sent again: for every row whose wake-up is overdue, the message that was lost. This is what makes the
 * engine's memory expendable: a message that was never sent (a crash after the commit) or that was lost (the engine's
 * data is gone) is sent from the row.
 */
export type Overdue = () => Promise<Message[]>

export type ReconcilerParts = { engine: Engine; log: Logger; overdue: readonly Overdue[] }

/** Sends what is overdue; the number of the messages. */
export async function reconcile({ engine, log, overdue }: ReconcilerParts): Promise<number> {
  const messages = (await Promise.all(overdue.map((find) => find()))).flat()
  const sent = await Promise.allSettled(
    messages.map(({ service, key, handler, payload }) => engine.send(service, key, handler, payload)),
  )
  const failed = sent.filter(({ status }) => status === 'rejected').length
  if (messages.length > 0) log.info({ overdue: messages.length, failed }, 'sent overdue wake-ups again')
  return messages.length
}

/** Reconciles every `everyMs` until stopped; a failed round (no database, no engine) is followed by the next. */
export const startReconciler = (parts: ReconcilerParts, everyMs = 2_000): Rounds =>
  startRounds(() => reconcile(parts), {
    everyMs,
    onError: (error) => parts.log.warn({ err: error }, 'overdue wake-ups could not be sent again'),
  })
