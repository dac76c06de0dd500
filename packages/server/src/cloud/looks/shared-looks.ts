import { CloudTrouble } from '../adapter/answer.ts'

/** Observed value and the time of its request. */
export type Seen<T> = { at: Date; value: T }

type Kept<T> = { begunAt: number; look: Promise<Seen<T>> }

export type LooksPace = {
  /** Time for which a value is cached, in milliseconds. */
  freshMs: number
  /** Minimum interval between requests to one account, in milliseconds. */
  apartMs: number
  /** Maximum time that a request waits for its turn, in milliseconds. */
  mostWaitMs: number
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
export class TooManyLooks extends CloudTrouble {
  constructor() {
    super('Many look into this cloud account just now.')
  }
}

/**
 * Caches and deduplicates reads of cloud resources and spaces the requests per account, so that viewers do not use up
 * the rate limits that releases need.
 */
export class SharedLooks<T> {
  readonly #pace: LooksPace
  readonly #kept = new Map<string, Kept<T>>()
  /** Earliest time of the next request, by account. */
  readonly #turns = new Map<string, number>()

  constructor(pace: LooksPace) {
    this.#pace = pace
  }

  /** Returns the value at `key` from the cache or by calling `look`. */
  async at(account: string, key: string, look: () => Promise<T>): Promise<Seen<T>> {
    const { freshMs, now } = this.#pace
    const known = this.#kept.get(key)
    if (known && now() - known.begunAt < freshMs) return known.look
    const turn = this.#takeTurn(account)
    if (turn === undefined) {
      // An outdated value with its time is better than an error.
      if (known) return known.look
      throw new TooManyLooks()
    }
    this.#forgetLeft()
    const begun: Kept<T> = { begunAt: now() + turn, look: this.#begin(turn, look) }
    this.#kept.set(key, begun)
    begun.look.catch(() => this.#forgetFailed(key, begun))
    return begun.look
  }

  async #begin(turn: number, look: () => Promise<T>): Promise<Seen<T>> {
    if (turn > 0) await this.#pace.wait(turn)
    return { at: this.#pace.clock(), value: await look() }
  }

  /** Reserves the next request to the account. Returns the wait in milliseconds, or undefined if it is too long. */
  #takeTurn(account: string): number | undefined {
    const { apartMs, mostWaitMs, now } = this.#pace
    const at = Math.max(now(), this.#turns.get(account) ?? 0)
    if (at - now() > mostWaitMs) return undefined
    this.#turns.set(account, at + apartMs)
    return at - now()
  }

  /** Removes a failed request from the cache. Concurrent readers share its error, but later ones retry. */
  #forgetFailed(key: string, failed: Kept<T>): void {
    if (this.#kept.get(key) === failed) this.#kept.delete(key)
  }

  /** Removes entries that have not been read for a while. */
  #forgetLeft(): void {
    const { freshMs, now } = this.#pace
    for (const [key, { begunAt }] of this.#kept) if (now() - begunAt > 10 * freshMs) this.#kept.delete(key)
    for (const [account, at] of this.#turns) if (at < now()) this.#turns.delete(account)
  }
}
