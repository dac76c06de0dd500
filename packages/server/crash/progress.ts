import { throwFatalError } from './fatal-error.ts'

/**
 * Maximum time without a change in milliseconds. A service starts within 20 s on a busy machine, and its work then
 * takes seconds.
 */
export const defaultMaxStallMs = 120_000

/**
 * Thrown by a wait during which nothing changed for too long. The gate repeats a test that failed with this error, so
 * nothing else may throw it. Lost and repeated effects are assertion errors.
 */
export class StalledError extends Error {
  override name = 'StalledError'

  constructor(what: string, stalledMs: number, lastSeen: string) {
    super(`No progress for ${Math.round(stalledMs / 1_000)} s while waiting for ${what}. Last seen: ${lastSeen}`)
  }
}

/** Time of the last change that any of several waits saw. Waits that share an activity stall only together. */
export class Activity {
  #changedAt = performance.now()

  noteChange(): void {
    this.#changedAt = performance.now()
  }

  get quietMs(): number {
    return performance.now() - this.#changedAt
  }
}

/** Ends a waiting loop after a stall, or when the test cannot succeed any more. */
export class Progress {
  readonly #what: string
  readonly #maxStallMs: number
  readonly #activity: Activity
  #lastSeen = 'nothing'

  constructor(what: string, { maxStallMs = defaultMaxStallMs, activity = new Activity() } = {}) {
    this.#what = what
    this.#maxStallMs = maxStallMs
    this.#activity = activity
    activity.noteChange()
  }

  /** Records the state that the loop has seen. Throws if it has not changed for too long. */
  observe(state: unknown): void {
    const seen = describe(state)
    if (seen !== this.#lastSeen) this.#activity.noteChange()
    this.check(seen)
  }

  /** Records an attempt without a result, such as a rejected connection. Throws if nothing changed for too long. */
  check(seen: unknown): void {
    throwFatalError()
    this.#lastSeen = describe(seen)
    const { quietMs } = this.#activity
    if (quietMs >= this.#maxStallMs) throw new StalledError(this.#what, quietMs, this.#lastSeen)
  }

  /** Returns a signal that aborts a request before `check` would throw. */
  timeout(): AbortSignal {
    const leftMs = Math.max(0, this.#maxStallMs - this.#activity.quietMs)
    return AbortSignal.timeout(Math.ceil(leftMs) + timerSlackMs)
  }
}

/** Tolerance in milliseconds for timers that fire early. */
const timerSlackMs = 10

/**
 * Throws the first error of concurrent work. A stall is thrown only if there is no other error, as it may be a
 * consequence.
 */
export function throwFirstError(errors: readonly unknown[]): void {
  const error = errors.find((one) => !(one instanceof StalledError)) ?? errors[0]
  if (error !== undefined) throw error
}

/** Waits for a promise of an external event, such as the exit of a process. */
export async function withProgressLimit<T>(
  what: string,
  promise: Promise<T>,
  { maxStallMs = defaultMaxStallMs, lastSeen = (): string => 'nothing' } = {},
): Promise<T> {
  const stalled = Promise.withResolvers<never>()
  const timer = setTimeout(() => stalled.reject(new StalledError(what, maxStallMs, lastSeen())), maxStallMs)
  try {
    return await Promise.race([promise, stalled.promise])
  } finally {
    clearTimeout(timer)
  }
}

const describe = (seen: unknown): string => {
  if (typeof seen === 'string') return seen
  if (!(seen instanceof Error)) return JSON.stringify(seen)
  return seen.cause instanceof Error ? `${seen.message}: ${describe(seen.cause)}` : seen.message
}
