import type { Logger } from 'pino'
import type { Db } from './open.ts'

/** Removes what nobody will ask for again. */
export type Forget = (db: Db, now: Date) => Promise<void>

export type ForgettingParts = { db: Db; clock: () => Date; log: Logger; forget: readonly Forget[] }

/** Forgets every `everyMs` until stopped. */
export function startForgetting(
  { db, clock, log, forget }: ForgettingParts,
  everyMs = 3_600_000,
): { stop(): Promise<void> } {
  let round: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    round = Promise.all(forget.map((one) => one(db, clock()))).catch((error) =>
      log.warn({ err: error }, 'what is old could not be forgotten'),
    )
  }, everyMs)
  return {
    async stop() {
      clearInterval(timer)
      await round
    },
  }
}
