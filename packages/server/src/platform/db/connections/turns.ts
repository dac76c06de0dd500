import { DatabaseUnavailable } from '../away.ts'

/** Error of a turn that did not come in time. Nothing was started. */
export class TurnTimeout extends DatabaseUnavailable {}

/** Limits concurrent operations. The others wait in their order, each for `waitMs` at most. */
export class ConcurrencyLimiter {
  #free: number
  readonly #waitMs: number
  readonly #waiting = new Set<() => void>()

  /** Without `waitMs`, operations wait without a limit. */
  constructor(most: number, waitMs = Number.POSITIVE_INFINITY) {
    this.#free = most
    this.#waitMs = waitMs
  }

  /** Waits for a turn, which the caller must give back. */
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
      reject(new TurnTimeout(`no connection was available within ${this.#waitMs} ms`))
    }, this.#waitMs)
    await promise.finally(() => clearTimeout(timer))
  }

  /** Runs an operation when its turn comes. */
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
