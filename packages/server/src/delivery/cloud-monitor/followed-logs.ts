import type { Look } from './tail.ts'

type Shared = {
  from: number
  begunAt: number
  look: Promise<Look>
  /** The earliest moment that was asked for since it began: where the next look begins. */
  wanted: number
}

/**
 * The looks at logs that several follow at a time: whoever asks while another's look is fresh gets that one. `freshMs`
 * is how long it is, `now` a clock in milliseconds.
 */
export class FollowedLogs {
  readonly #freshMs: number
  readonly #now: () => number
  readonly #shared = new Map<string, Shared>()

  constructor(freshMs: number, now: () => number) {
    this.#freshMs = freshMs
    this.#now = now
  }

  /** The lines of the log `key` from a moment on; `look` asks the cloud for them. */
  async linesFrom(key: string, from: number, look: (from: number) => Promise<Look>): Promise<Look> {
    for (;;) {
      const shared = this.#freshFor(key, from) ?? this.#begin(key, from, look)
      const { lines, hasMore } = await shared.look
      if (!hasMore || shared.from === from) {
        return { lines: lines.filter(({ timestamp }) => Date.parse(timestamp) >= from), hasMore }
      }
      // It was of somebody who is far behind, and ends before what is wanted here.
    }
  }

  #freshFor(key: string, from: number): Shared | undefined {
    const shared = this.#shared.get(key)
    if (!shared) return undefined
    shared.wanted = Math.min(shared.wanted, from)
    return this.#isFresh(shared) && shared.from <= from ? shared : undefined
  }

  #isFresh = ({ begunAt }: Shared) => this.#now() - begunAt < this.#freshMs

  /** As far back as all want who follow it; those of them who are behind get what is missing by looks of their own. */
  #begin(key: string, asked: number, look: (from: number) => Promise<Look>): Shared {
    this.#forgetLeft()
    const from = this.#shared.get(key)?.wanted ?? asked
    const begun: Shared = { from, begunAt: this.#now(), look: look(from), wanted: asked }
    this.#shared.set(key, begun)
    const isBehind = ({ hasMore }: Look) => hasMore && this.#shared.get(key) === begun && this.#shared.delete(key)
    begun.look.then(isBehind, () => {})
    return begun
  }

  /** Of logs that nobody follows any more nothing is kept for long. */
  #forgetLeft(): void {
    const before = this.#now() - 10 * this.#freshMs
    for (const [key, { begunAt }] of this.#shared) if (begunAt < before) this.#shared.delete(key)
  }
}
