/** Running periodic task; `stop` waits for the current run. */
export type PeriodicTask = { stop(): Promise<void> }

/**
 * Starts a periodic task: first after `firstAfterMs`, then `everyMs` after the end of each run. An error goes to
 * `onError`, and the task continues.
 */
export function startPeriodicTask(
  round: () => Promise<unknown>,
  {
    everyMs,
    firstAfterMs = everyMs,
    onError,
  }: { everyMs: number; firstAfterMs?: number; onError: (error: unknown) => void },
): PeriodicTask {
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
