import { LRUCache } from 'lru-cache'
import { systemClock } from './clock.ts'

export type PromiseCacheOptions = {
  max: number
  /** Time in milliseconds for which a result is reused, from the start of its read. Default: until it is evicted. */
  ttlMs?: number
  /** Current time of the clock by which results expire, in milliseconds. */
  nowMs?: () => number
}

/**
 * Deduplicates concurrent reads of one key, and reuses their result. Callers that arrive during a read share its
 * failure; neither a failure nor `undefined` is reused by later callers.
 */
export class PromiseCache<T> {
  readonly #reads: LRUCache<string, Promise<T>>

  constructor({ max, ttlMs = 0, nowMs = systemClock.monotonicMs }: PromiseCacheOptions) {
    // A resolution of 0 reads the clock on each call, since it may run fast. An entry of the time 0 would never expire.
    const perf = { now: () => nowMs() + 1 }
    this.#reads = new LRUCache({ max, ttl: ttlMs, ttlResolution: 0, perf })
  }

  /** Returns the result of `read` for this key. The key must contain everything that the result depends on. */
  get(key: readonly string[], read: () => Promise<T>): Promise<T> {
    const name = JSON.stringify(key)
    const known = this.#reads.get(name)
    if (known) return known
    const begun = read()
    this.#reads.set(name, begun)
    const forget = () => this.#reads.peek(name) === begun && this.#reads.delete(name)
    begun.then((result) => result === undefined && forget(), forget)
    return begun
  }

  clear(): void {
    this.#reads.clear()
  }
}
