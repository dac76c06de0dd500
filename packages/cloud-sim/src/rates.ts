/** Rate limit per account and region: the operations share a token bucket, refilled every second. */
export interface Rate {
  operations: readonly string[]
  burst: number
  perSecond: number
}

interface Bucket {
  left: number
  /** Time of the last refill, in milliseconds of the limiter's clock. */
  at: number
}

/** Token buckets of all accounts. They use real time if the callers are real programs; a restart fills all. */
export class Buckets {
  readonly #buckets = new Map<string, Bucket>()

  /** Takes a token from an operation's bucket. Returns false if it is empty. */
  take(scope: string, operation: string, rates: readonly Rate[], now: number): boolean {
    const rate = rates.find(({ operations }) => operations.includes(operation))
    if (!rate) return true
    const key = `${scope} ${rate.operations.join(' ')}`
    const { left, at } = this.#buckets.get(key) ?? { left: rate.burst, at: now }
    const filled = Math.min(rate.burst, left + ((now - at) / 1000) * rate.perSecond)
    this.#buckets.set(key, { left: filled < 1 ? filled : filled - 1, at: now })
    return filled >= 1
  }
}
