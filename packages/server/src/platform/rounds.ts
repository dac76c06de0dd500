/** Work that is done again and again. */
export type Rounds = { stop(): Promise<void> }

/**
 * Does `round` `firstAfterMs` from now, and again `everyMs` after it ended, until stopped; one that fails is told to
 * `onError` and followed by the next.
 */
export function startRounds(
  round: () => Promise<unknown>,
  {
    everyMs,
    firstAfterMs = everyMs,
    onError,
  }: { everyMs: number; firstAfterMs?: number; onError: (error: unknown) => void },
): Rounds {
  let timer: NodeJS.Timeout | undefined
  let present: Promise<unknown> = Promise.resolve()
  let isStopped = false
  const next = (afterMs: number) => {
    if (isStopped) return
    timer = setTimeout(() => {
      present = round()
        .catch(onError)
        .finally(() => next(everyMs))
    }, afterMs)
  }
  next(firstAfterMs)
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await present
    },
  }
}
