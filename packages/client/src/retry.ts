import { ApiError } from './error.ts'
import { pause } from './pause.ts'

/** Whether and for how long something is asked again that may pass: a limit, a restart, a lost connection. */
export type Retry = {
  /** How long after the first attempt the last one may begin. Milliseconds. */
  forMs: number
  /** Is told once, of what the first attempt came to. */
  told?: (error: Error) => void
}

/** Before the second attempt, where the service does not say. Each later pause is twice as long. Milliseconds. */
const firstPauseMs = 250
const longestPauseMs = 5_000

/** Asks until there is an answer, or a failure that does not pass. Only for what may be asked twice. */
export async function retrying<T>(
  ask: () => Promise<T>,
  { forMs, told, signal, passes = mayPass }: Retry & { signal?: AbortSignal; passes?: (error: unknown) => boolean },
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

/** Of different length for everybody, so that those who were refused together do not come back together. */
function pauseAfter(error: unknown, attempt: number): number {
  if (error instanceof ApiError && error.retryAfterMs !== undefined) return error.retryAfterMs
  return Math.min(firstPauseMs * 2 ** attempt, longestPauseMs) * (0.5 + Math.random() / 2)
}

/** Whether the same may go well later: the service is away, or wants to be asked more slowly. */
export const mayPass = (error: unknown): boolean =>
  isBroken(error) || (error instanceof ApiError && [429, 502, 503, 504].includes(error.status))

/** Nothing was done: the request was refused before anybody looked at what it asks for. */
export const isTooSoon = (error: unknown): boolean => error instanceof ApiError && error.status === 429

/** What `fetch` throws where there is no connection; not everywhere a TypeError, as the standard has it. */
const isBroken = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && 'code' in error && typeof error.code === 'string')
