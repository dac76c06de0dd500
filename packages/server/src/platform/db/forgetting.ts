import type { Logger } from 'pino'
import type { Db } from './open.ts'

/** Removes what nobody will ask for again. */
export type Forget = (db: Db, now: Date) => Promise<void>

export type ForgettingParts = { db: Db; clock: () => Date; log: Logger; forget: readonly Forget[] }

/** What one statement removes: it holds its rows for a fraction of a second, and others are not kept waiting. */
export const batchSize = 5_000

/** Removes batch after batch until one is not full. `removeBatch` removes up to `batchSize` rows and says how many. */
export async function inBatches(removeBatch: () => Promise<number>): Promise<void> {
  let removed = batchSize
  while (removed === batchSize) removed = await removeBatch()
}

export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * 86_400_000)

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
