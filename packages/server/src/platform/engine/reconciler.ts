import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/open.ts'
import type { Sweep } from '../db/sweeps.ts'
import { createDispatch } from './dispatch.ts'
import type { EngineConnection } from './engine.ts'
import { maxFound, type OverdueRow, type OverdueSource } from './overdue.ts'

type ReconcilerParts = {
  db: Db
  engine: Pick<EngineConnection, 'send' | 'healthy' | 'activeKeys'>
  /** Called for each message that is sent again, with its durable object. */
  onSentAgain: (object: string) => void
  clock: Clock
  log: Logger
}

/** Returns a sweep that sends overdue messages that the engine does not have. */
export const reconciling = (parts: ReconcilerParts, overdue: readonly OverdueSource[]): Sweep[] =>
  overdue.map((one) => ({ what: 'overdue timers', due: one.due, sweep: () => reconcile(parts, one) }))

/**
 * Sends lost messages. Skips those that the engine has, because a busy engine would get busier, and sends nothing while
 * the engine does not respond: everything stays due until it does.
 */
async function reconcile(parts: ReconcilerParts, overdue: OverdueSource): Promise<void> {
  const { db, engine, onSentAgain, clock, log } = parts
  if (!(await engine.healthy())) return
  const ids = await findLost(parts, overdue)
  if (ids.length === 0) return
  const messages = await overdue.claim(db, clock, ids)
  const dispatch = createDispatch({ engine, log })
  for (const message of messages) {
    onSentAgain(overdue.service)
    dispatch.soon(message)
  }
  await dispatch.settled()
  log.info({ object: overdue.service, sentAgain: messages.length }, 'sent overdue messages again')
}

/** Maximum number of pages per check, for when the oldest rows all wait in the engine. */
const maxPages = 10
/**
 * Time after a wake-up, in real milliseconds, from which a row's message is sent again without asking the engine, which
 * may never respond.
 */
const blindAfterMs = 120_000

/** Returns the IDs of overdue rows without a message in the engine, from the first page that has any. */
async function findLost({ db, engine, clock, log }: ReconcilerParts, overdue: OverdueSource): Promise<string[]> {
  let after: OverdueRow | undefined
  for (let page = 0; page < maxPages; page++) {
    const due = await overdue.find(db, clock, after)
    const keys = Array.from(new Set(due.map(({ key }) => key)))
    const active = await engine.activeKeys(overdue.service, keys).catch((err) => {
      log.warn({ err, object: overdue.service }, 'the engine does not list its messages; it may be too busy')
      return undefined
    })
    const before = clock.now().getTime() - clock.elapsedMs(blindAfterMs)
    const lost = due.filter(({ key, wakeAt }) => (active ? !active.has(key) : wakeAt.getTime() < before))
    if (lost.length > 0 || !active || due.length < maxFound) return lost.map(({ id }) => id)
    after = due.at(-1)
  }
  return []
}
