/**
 * Token bucket rate limiter for any number of keys. After idle time it allows a burst of ten seconds' worth. It uses
 * the generic cell rate algorithm, which stores one timestamp per key.
 */
export class Rate {
  readonly #everyMs: number
  readonly #burstMs: number
  readonly #nowMs: () => number
  /** Time at which the bucket is full again, by key. */
  readonly #fullAt = new Map<string, number>()

  constructor(perSecond: number, nowMs: () => number) {
    this.#everyMs = 1_000 / perSecond
    this.#burstMs = burstSeconds * 1_000
    this.#nowMs = nowMs
  }

  /** Takes tokens and returns 0, or returns the wait in milliseconds and takes none. Takes at most a full burst. */
  take(key: string, count = 1): number {
    const now = this.#nowMs()
    const fullAt = Math.max(now, this.#fullAt.get(key) ?? now)
    const next = fullAt + Math.min(count * this.#everyMs, this.#burstMs)
    const waitMs = next - now - this.#burstMs
    if (waitMs > 0) return waitMs
    if (this.#fullAt.size >= mostKeys) this.#forgetFull(now)
    this.#fullAt.set(key, next)
    return 0
  }

  /** Returns the recent rate per second, averaged over the length of a burst. */
  usedPerSecond(key: string): number {
    const now = this.#nowMs()
    const owed = Math.max(0, (this.#fullAt.get(key) ?? now) - now)
    return Math.ceil(owed / this.#everyMs / burstSeconds)
  }

  #forgetFull(now: number): void {
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(key)
  }
}

export const burstSeconds = 10

/** Number of stored keys above which each new key first removes those with a full bucket. */
const mostKeys = 10_000
