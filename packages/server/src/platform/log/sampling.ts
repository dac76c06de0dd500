/** Maximum number of equal warnings or errors per minute. */
const mostEach = 10
const minuteMs = 60_000

/** Group of equal log lines within a minute, with the number of written and suppressed ones. */
export type Repeated = { level: 'warn' | 'error'; text: string; written: number; suppressed: number }

/** Limits how many equal warnings and errors are logged per minute, and counts the suppressed ones. */
export class Sampling {
  readonly #now: () => number
  #minute = 0
  readonly #repeated = new Map<string, Repeated>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Counts a warning or error by its text, and reports whether to write it. */
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

  /** Returns the lines with suppressed repetitions once their minute is over, each once. */
  takeEnded(): Repeated[] {
    const minute = Math.floor(this.#now() / minuteMs)
    if (minute === this.#minute) return []
    const ended = [...this.#repeated.values()].filter(({ suppressed }) => suppressed > 0)
    this.#minute = minute
    this.#repeated.clear()
    return ended
  }
}

/** Numeric log levels of pino. */
const warning = 40
const error = 50

/** Maximum bytes of log lines per minute; a busy service writes a tenth of it. */
const mostBytes = 8 * 1024 ** 2

/** Limits the bytes that are logged per minute, and counts the dropped lines. */
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

  /** Adds the bytes of a line to those of the minute, and reports whether to write the line. */
  admits(bytes: number): boolean {
    this.#bytes += bytes
    if (this.#bytes <= this.#mostBytes) return true
    this.#dropped += 1
    return false
  }

  /** Returns the number of dropped lines once their minute is over, and then resets it. */
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
