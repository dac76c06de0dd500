import type { Logger } from 'pino'
import type { Db } from '../platform/db/open.ts'
import { keptMs } from './answer-once.ts'
import { forgetAnswersBefore } from './store.ts'

/** Removes answers that are no longer given again, every `everyMs` until stopped. */
export function startForgetting(
  { db, clock, log }: { db: Db; clock: () => Date; log: Logger },
  everyMs = 3_600_000,
): { stop(): Promise<void> } {
  let round: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    round = forgetAnswersBefore(db, new Date(clock().getTime() - keptMs)).catch((error) =>
      log.warn({ err: error }, 'old answers could not be forgotten'),
    )
  }, everyMs)
  return {
    async stop() {
      clearInterval(timer)
      await round
    },
  }
}
