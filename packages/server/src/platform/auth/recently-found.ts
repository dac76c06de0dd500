import { systemClock } from '../clock.ts'
import { PromiseCache } from '../promise-cache.ts'

/** Cache of credential lookups, which reuses results for less than a second. */
export interface CredentialLookupCache<Shown, Found> {
  /** Looks up a credential. Returns undefined if it is unknown, expired or revoked. */
  find(shown: Shown): Promise<Found | undefined>
  /** Clears the cache. Call it after a change of permissions, so that this process applies it at once. */
  forget(): void
}

/** Time to live in milliseconds. A revoked credential must stop working within a second in every process. */
const ttlMs = 900

/** Maximum number of cached credentials, far more than requests use within a second. */
const max = 10_000

/**
 * Creates a cache. A burst of requests looks a credential up once. Unknown credentials are not cached: a new one works
 * at once, and guesses cannot fill the memory.
 */
export function createCredentialLookupCache<Shown, Found>(
  lookUp: (shown: Shown) => Promise<Found | undefined>,
  keyOf: (shown: Shown) => readonly string[],
  nowMs: () => number = systemClock.monotonicMs,
): CredentialLookupCache<Shown, Found> {
  const cache = new PromiseCache<Found | undefined>({ max, ttlMs, nowMs })
  return {
    find: (shown) => cache.get(keyOf(shown), () => lookUp(shown)),
    forget: () => cache.clear(),
  }
}
