/** How many warnings and errors with the same text are written in each minute. */
const mostEach = 10
const minuteMs = 60_000

/** Lines of one kind within a minute. */
export type Repeated = { level: 'warn' | 'error'; text: string; written: number; suppressed: number }

/** Writes so many warnings and errors of a kind in each minute, and then how many more there were. */
export class Sampling {
  readonly #now: () => number
  #minute = 0
  readonly #repeated = new Map<string, Repeated>()

  /** `now` is a monotonic time in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Whether a line of this kind is written. */
  admits(level: number, text: string): boolean {
    if (level < warning) return true
    const key = `${level} ${text}`
    const fresh: Repeated = { level: level < error ? 'warn' : 'error', text, written: 0, suppressed: 0 }
    const one = this.#repeated.get(key) ?? fresh
    this.#repeated.set(key, one)
    if (one.written < mostEach) {
      one.written += 1
      return true
    }
    one.suppressed += 1
    return false
  }

  /** Returns the kinds of which a minute that is over had too many, each once. */
  takeEnded(): Repeated[] {
    const minute = Math.floor(this.#now() / minuteMs)
    if (minute === this.#minute) return []
    const ended = [...this.#repeated.values()].filter(({ suppressed }) => suppressed > 0)
    this.#minute = minute
    this.#repeated.clear()
    return ended
  }
}

/** Numbers of pino's levels. */
const warning = 40
const error = 50

/** Bytes of a minute; a busy service writes a tenth of it. */
const mostBytes = 8 * 1024 ** 2

/** Passes on so many bytes in each minute, and then reports how many lines there were beyond. */
export class ByteBudget {
  readonly #now: () => number
  readonly #mostBytes: number
  #minute = 0
  #bytes = 0
  #dropped = 0

  constructor(now: () => number = () => performance.now(), most = mostBytes) {
    this.#now = now
    this.#mostBytes = most
  }

  /** Whether a line of so many bytes is written. */
  admits(bytes: number): boolean {
    this.#bytes += bytes
    if (this.#bytes <= this.#mostBytes) return true
    this.#dropped += 1
    return false
  }

  /** Returns how many lines a minute that is over had beyond its bytes; once. */
  takeEnded(): number {
    const minute = Math.floor(this.#now() / minuteMs)
    if (minute === this.#minute) return 0
    const dropped = this.#dropped
    this.#minute = minute
    this.#bytes = 0
    this.#dropped = 0
    return dropped
  }
}
