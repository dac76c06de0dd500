/**
 * So many per second and, after a rest, ten seconds' worth at once, for each of any number of keys: a bucket that fills
 * again steadily (the generic cell rate algorithm, which keeps one time per key).
 */
export class Rate {
  readonly #everyMs: number
  readonly #burstMs: number
  readonly #nowMs: () => number
  /** By key, when its bucket is full again. */
  readonly #fullAt = new Map<string, number>()

  constructor(perSecond: number, nowMs: () => number) {
    this.#everyMs = 1_000 / perSecond
    this.#burstMs = burstSeconds * 1_000
    this.#nowMs = nowMs
  }

  /** Takes so many; or says after how many milliseconds they can be had, and takes none. Never more than a burst. */
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

  /** How many a second there were of late, on the average of a burst. */
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

/** So many have to be in use within ten seconds before they are looked through at each new one. */
const mostKeys = 10_000
