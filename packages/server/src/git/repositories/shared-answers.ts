/** How long an answer is given again to whoever asks for the same. Milliseconds. */
const freshMs = 30_000
/** Answers that are kept at once: each may weigh a megabyte or two. */
const mostKept = 32

/**
 * What git hosts answered just now. Forms ask while somebody types, and hosts count requests: whoever asks for the same
 * gets the same answer, and waits for it together with others. Each process keeps to this by itself.
 */
export class SharedAnswers<T> {
  readonly #clock: () => Date
  readonly #kept = new Map<string, { begunAt: number; answer: Promise<T> }>()

  constructor(clock: () => Date) {
    this.#clock = clock
  }

  /** `key` names who asks and what for, so that nobody gets what another may see. */
  at(key: readonly string[], ask: () => Promise<T>): Promise<T> {
    const name = JSON.stringify(key)
    const now = this.#clock().getTime()
    const known = this.#kept.get(name)
    if (known && now - known.begunAt < freshMs) return known.answer
    const begun = { begunAt: now, answer: ask() }
    this.#kept.delete(name) // so that it becomes the newest
    this.#kept.set(name, begun)
    // A failure is shared by those who asked meanwhile, and is no answer for later.
    begun.answer.catch(() => this.#kept.get(name) === begun && this.#kept.delete(name))
    this.#forgetOld(now)
    return begun.answer
  }

  #forgetOld(now: number): void {
    for (const [name, { begunAt }] of this.#kept) {
      if (this.#kept.size > mostKept || now - begunAt >= freshMs) this.#kept.delete(name)
    }
  }
}
