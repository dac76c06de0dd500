import { CloudTransientError } from '../adapter/cloud-call.ts'

/** Observed value and the time of its request. */
export type Observed<T> = { at: Date; value: T }

type CacheEntry<T> = { startedAt: number; pending: Promise<Observed<T>> }

export type ObservationCacheOptions = {
  /** Time for which a value is cached, in milliseconds. */
  cacheTtlMs: number
  /** Minimum interval between requests to one account, in milliseconds. */
  minIntervalMs: number
  /** Maximum time that a request waits for its turn, in milliseconds. */
  maxWaitMs: number
  /** Monotonic clock, in milliseconds. */
  now: () => number
  wait: (ms: number) => Promise<unknown>
  /** Wall clock for the time of each observation. */
  clock: () => Date
}

/**
 * Error for a read rejected because too many others wait for the same account. The account's rate limits are reserved
 * for releases.
 */
export class AccountRateLimited extends CloudTransientError {
  constructor() {
    super('Many look into this cloud account just now.')
  }
}

/**
 * Caches and deduplicates reads of cloud resources and spaces the requests per account, so that viewers do not use up
 * the rate limits that releases need.
 */
export class ObservationCache<T> {
  readonly #pace: ObservationCacheOptions
  readonly #kept = new Map<string, CacheEntry<T>>()
  /** Earliest time of the next request, by account. */
  readonly #turns = new Map<string, number>()

  constructor(pace: ObservationCacheOptions) {
    this.#pace = pace
  }

  /** Returns the value at `key` from the cache or by calling `look`. */
  async get(account: string, key: string, look: () => Promise<T>): Promise<Observed<T>> {
    const { cacheTtlMs, now } = this.#pace
    const known = this.#kept.get(key)
    if (known && now() - known.startedAt < cacheTtlMs) return known.pending
    const turn = this.#takeTurn(account)
    if (turn === undefined) {
      // An outdated value with its time is better than an error.
      if (known) return known.pending
      throw new AccountRateLimited()
    }
    this.#forgetLeft()
    const begun: CacheEntry<T> = { startedAt: now() + turn, pending: this.#begin(turn, look) }
    this.#kept.set(key, begun)
    begun.pending.catch(() => this.#forgetFailed(key, begun))
    return begun.pending
  }

  async #begin(turn: number, look: () => Promise<T>): Promise<Observed<T>> {
    if (turn > 0) await this.#pace.wait(turn)
    return { at: this.#pace.clock(), value: await look() }
  }

  /** Reserves the next request to the account. Returns the wait in milliseconds, or undefined if it is too long. */
  #takeTurn(account: string): number | undefined {
    const { minIntervalMs, maxWaitMs, now } = this.#pace
    const at = Math.max(now(), this.#turns.get(account) ?? 0)
    if (at - now() > maxWaitMs) return undefined
    this.#turns.set(account, at + minIntervalMs)
    return at - now()
  }

  /** Removes a failed request from the cache. Concurrent readers share its error, but later ones retry. */
  #forgetFailed(key: string, failed: CacheEntry<T>): void {
    if (this.#kept.get(key) === failed) this.#kept.delete(key)
  }

  /** Removes entries that have not been read for a while. */
  #forgetLeft(): void {
    const { cacheTtlMs, now } = this.#pace
    for (const [key, { startedAt }] of this.#kept) if (now() - startedAt > 10 * cacheTtlMs) this.#kept.delete(key)
    for (const [account, at] of this.#turns) if (at < now()) this.#turns.delete(account)
  }
}
