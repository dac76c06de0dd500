import { setTimeout as sleep } from 'node:timers/promises'
import { ChangeListener } from './watched-changes.ts'

/** Maximum interval between reads, in milliseconds. Constant reading would slow down what the tests wait for. */
const maxPauseMs = 200

/**
 * Waits until `isRight` accepts the value of `look`. Fails after `patienceMs` without progress, that is, without a
 * change of the value or of a record in a test environment of this process. So a slow machine does not fail a test; the
 * test's timeout limits the total wait.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T>,
  isRight: (seen: T) => boolean,
  patienceMs = 60_000,
): Promise<T> {
  using changes = new ChangeListener()
  const startedAt = performance.now()
  let changedAt = startedAt
  let lastText: string | undefined
  let pauseMs = 20
  for (;;) {
    const seen = await look()
    if (isRight(seen)) return seen
    const text = textOf(seen)
    const now = performance.now()
    if (text !== lastText) changedAt = now
    if (now - changedAt > patienceMs)
      throw noProgress(what, { totalMs: now - startedAt, idleMs: now - changedAt, text })
    lastText = text
    // A change ends the pause early, but not at once, because busy environments change constantly.
    await sleep(pauseMs / 2)
    if (await changes.next(pauseMs / 2)) changedAt = performance.now()
    pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)
  }
}

const textOf = (seen: unknown) =>
  JSON.stringify(seen, (_, value) => (typeof value === 'bigint' ? String(value) : value), 2)

function noProgress(what: string, { totalMs, idleMs, text }: { totalMs: number; idleMs: number; text: string }): Error {
  const [total, idle] = [totalMs, idleMs].map((ms) => `${(ms / 1_000).toFixed(1)} s`)
  return new Error(
    `No progress for ${idle} while waiting for ${what}, for ${total} in total. Last value seen:\n${text}`,
  )
}
