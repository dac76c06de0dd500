import { PromiseCache } from '../../platform/promise-cache.ts'

/**
 * Makes a cache of answers of git hosts: forms ask while the user types, and hosts count requests. A key names the
 * caller's organization and everything the answer depends on. An answer may weigh a megabyte or two.
 */
export const hostAnswers = <T>(clock: () => Date) =>
  new PromiseCache<T>({ max: 32, ttlMs: 30_000, nowMs: () => clock().getTime() })
