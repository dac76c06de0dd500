import { DatabaseAway } from '../away.ts'

/** A turn did not come in time. Nothing was begun. */
export class TurnTimeout extends DatabaseAway {}

/** Lets so many do something at a time; the others wait in the order in which they came, each for `waitMs` at most. */
export class Turns {
  #free: number
  readonly #waitMs: number
  readonly #waiting = new Set<() => void>()

  /** Without `waitMs`, each waits until its turn comes. */
  constructor(most: number, waitMs = Number.POSITIVE_INFINITY) {
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
    if (this.#waitMs === Number.POSITIVE_INFINITY) return promise
    const timer = setTimeout(() => {
      this.#waiting.delete(resolve)
      reject(new TurnTimeout(`it was not its turn within ${this.#waitMs} ms`))
    }, this.#waitMs)
    await promise.finally(() => clearTimeout(timer))
  }

  /** Does this when its turn comes. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    await this.take()
    try {
      return await work()
    } finally {
      this.giveBack()
    }
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
