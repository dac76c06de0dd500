import { DatabaseAway } from '../away.ts'

/** Lets so many do something at a time; the others wait in the order in which they came, and not for ever. */
export class Turns {
  #free: number
  readonly #waitMs: number
  readonly #waiting = new Set<() => void>()

  constructor(most: number, waitMs: number) {
    this.#free = most
    this.#waitMs = waitMs
  }

  /** Whoever has taken a turn gives it back. */
  async take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    const timer = setTimeout(() => {
      this.#waiting.delete(resolve)
      reject(new DatabaseAway(`it was not its turn within ${this.#waitMs} ms`))
    }, this.#waitMs)
    await promise.finally(() => clearTimeout(timer))
  }

  giveBack(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#free += 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
