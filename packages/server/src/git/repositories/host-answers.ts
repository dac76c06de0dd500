import { PromiseCache } from '../../platform/promise-cache.ts'

/**
 * Creates a cache for responses of Git hosts, because forms query while the user types and hosts limit requests. A key
 * must include the organization and everything that the response depends on. An entry may take one or two megabytes.
 */
export const hostAnswers = <T>(clock: () => Date) =>
  new PromiseCache<T>({ max: 32, ttlMs: 30_000, nowMs: () => clock().getTime() })
