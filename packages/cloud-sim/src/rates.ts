/**
 * How often an account may ask for some operations in a region: they share a bucket of so many, refilled every second.
 */
export interface Rate {
  operations: readonly string[]
  burst: number
  perSecond: number
}

interface Bucket {
  left: number
  /** Milliseconds of the clock by which requests are counted. */
  at: number
}

/**
 * What is left of the rates of each account. In real time where the callers are real programs; a restart fills all.
 */
export class Buckets {
  readonly #buckets = new Map<string, Bucket>()

  /** Takes one from the bucket of an operation in a scope; false where it is empty. */
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
