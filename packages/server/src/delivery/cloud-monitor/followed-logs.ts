import type { LogRead } from './tail.ts'

type Shared = {
  from: number
  begunAt: number
  look: Promise<LogRead>
  /** Earliest time that was requested since this read began: the next read starts there. */
  wanted: number
}

/**
 * Shares reads of a log among its concurrent followers: a follower gets another one's read while it is at most
 * `freshMs` milliseconds old. `now` returns the time in milliseconds.
 */
export class SharedLogReads {
  readonly #freshMs: number
  readonly #now: () => number
  readonly #shared = new Map<string, Shared>()

  constructor(freshMs: number, now: () => number) {
    this.#freshMs = freshMs
    this.#now = now
  }

  /** Returns the lines of the log `key` from a time on, using `look` to read them from the cloud. */
  async linesFrom(key: string, from: number, look: (from: number) => Promise<LogRead>): Promise<LogRead> {
    for (;;) {
      const shared = this.#freshFor(key, from) ?? this.#begin(key, from, look)
      const { lines, hasMore } = await shared.look
      if (!hasMore || shared.from === from) {
        return { lines: lines.filter(({ timestamp }) => Date.parse(timestamp) >= from), hasMore }
      }
      // The read was for a follower that is far behind, and ends before `from`.
    }
  }

  #freshFor(key: string, from: number): Shared | undefined {
    const shared = this.#shared.get(key)
    if (!shared) return undefined
    shared.wanted = Math.min(shared.wanted, from)
    return this.#isFresh(shared) && shared.from <= from ? shared : undefined
  }

  #isFresh = ({ begunAt }: Shared) => this.#now() - begunAt < this.#freshMs

  /**
   * Starts a read at the earliest time that any follower needs. Followers that are further behind get the missing lines
   * by separate reads.
   */
  #begin(key: string, asked: number, look: (from: number) => Promise<LogRead>): Shared {
    this.#forgetLeft()
    const from = this.#shared.get(key)?.wanted ?? asked
    const begun: Shared = { from, begunAt: this.#now(), look: look(from), wanted: asked }
    this.#shared.set(key, begun)
    const isBehind = ({ hasMore }: LogRead) => hasMore && this.#shared.get(key) === begun && this.#shared.delete(key)
    begun.look.then(isBehind, () => {})
    return begun
  }

  /** Evicts logs that nobody follows any more. */
  #forgetLeft(): void {
    const before = this.#now() - 10 * this.#freshMs
    for (const [key, { begunAt }] of this.#shared) if (begunAt < before) this.#shared.delete(key)
  }
}
