import { ApiError } from './error.ts'
import { pause } from './pause.ts'

/** Settings for retrying transient failures: rate limits, restarts, lost connections. */
export type Retry = {
  /** Time after the first attempt in which the last one may begin, in milliseconds. */
  forMs: number
  /** Called once with the error of the first attempt. */
  told?: (error: Error) => void
}

/**
 * Pause before the second attempt, in milliseconds, unless the service specifies one. Later pauses double up to the
 * maximum.
 */
const firstPauseMs = 250
const maxPauseMs = 5_000

/** Retries until success or a permanent failure. Only for idempotent calls. */
export async function retrying<T>(
  ask: () => Promise<T>,
  { forMs, told, signal, passes = isTransient }: Retry & { signal?: AbortSignal; passes?: (error: unknown) => boolean },
): Promise<T> {
  const giveUpAt = performance.now() + forMs
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask()
    } catch (error) {
      const pauseMs = pauseAfter(error, attempt)
      if (signal?.aborted || !passes(error) || performance.now() + pauseMs > giveUpAt) throw error
      if (attempt === 0) told?.(error as Error)
      await pause(pauseMs, signal)
    }
  }
}

/** Returns the pause before an attempt. It is random, so that clients rejected together do not return together. */
function pauseAfter(error: unknown, attempt: number): number {
  if (error instanceof ApiError && error.retryAfterMs !== undefined) return error.retryAfterMs
  return Math.min(firstPauseMs * 2 ** attempt, maxPauseMs) * (0.5 + Math.random() / 2)
}

/** Reports whether a failure is transient: the service is unavailable or limits the rate. */
export const isTransient = (error: unknown): boolean =>
  isBroken(error) || (error instanceof ApiError && [429, 502, 503, 504].includes(error.status))

/** Reports whether a request was rejected by a rate limit, and so had no effect. */
export const isRateLimited = (error: unknown): boolean => error instanceof ApiError && error.status === 429

/** Reports whether `fetch` failed to connect. Not all implementations throw a TypeError, as the standard requires. */
const isBroken = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && 'code' in error && typeof error.code === 'string')
