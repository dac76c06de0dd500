import { systemClock } from '../clock.ts'
import { PromiseCache } from '../promise-cache.ts'

/** Finds whom a credential belongs to, and reuses the result for less than a second. */
export interface RecentlyFound<Shown, Found> {
  /** Undefined if the credential is unknown, expired or revoked. */
  find(shown: Shown): Promise<Found | undefined>
  /** Forgets all credentials. Call it when permissions have changed, so that this process applies them at once. */
  forget(): void
}

/** A revoked credential must be dead within a second in every process; the lookup before it may be this old. */
const ttlMs = 900

/** Far above what is presented within a second. */
const max = 10_000

/**
 * A burst of requests with the same credential looks it up once. Unknown ones are not cached: one that was made a
 * moment ago works at once, and guessing cannot fill the memory.
 */
export function recentlyFound<Shown, Found>(
  lookUp: (shown: Shown) => Promise<Found | undefined>,
  keyOf: (shown: Shown) => readonly string[],
  nowMs: () => number = systemClock.monotonicMs,
): RecentlyFound<Shown, Found> {
  const cache = new PromiseCache<Found | undefined>({ max, ttlMs, nowMs })
  return {
    find: (shown) => cache.get(keyOf(shown), () => lookUp(shown)),
    forget: () => cache.clear(),
  }
}
