import { setTimeout as sleep } from 'node:timers/promises'

const pauseMs = 10

/**
 * Repeats `check` until it does not throw. Fails with its last error once that error has been the same for
 * `patienceMs`: a slow machine fails no test as long as something changes.
 */
export async function untilPasses(check: () => unknown, patienceMs = 60_000): Promise<void> {
  let lastMessage: string | undefined
  let changedAt = performance.now()
  for (;;) {
    try {
      await check()
      return
    } catch (error) {
      const { message } = error as Error
      if (message !== lastMessage) changedAt = performance.now()
      if (performance.now() - changedAt > patienceMs) throw error
      lastMessage = message
    }
    await sleep(pauseMs)
  }
}
