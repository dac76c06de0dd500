import type { Logger } from 'pino'
import type { Db } from './open.ts'

/** Removes records after their retention. */
export type DeleteExpiredRecords = (db: Db, now: Date) => Promise<void>

export type ForgettingParts = { db: Db; clock: () => Date; log: Logger; forget: readonly DeleteExpiredRecords[] }

/** Maximum number of rows that one statement removes, so that it holds locks for a fraction of a second only. */
export const batchSize = 5_000

/** Removes batches until one is not full. `removeBatch` removes up to `batchSize` rows and returns their number. */
export async function inBatches(removeBatch: () => Promise<number>): Promise<void> {
  let removed = batchSize
  while (removed === batchSize) removed = await removeBatch()
}

export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * 86_400_000)

/** Starts removing every `everyMs`, until stopped. */
export function startRetentionTask(
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
