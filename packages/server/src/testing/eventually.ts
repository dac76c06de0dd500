import { setTimeout as sleep } from 'node:timers/promises'

/** Looks are requests: ten tests that look all the time take the processor from what they wait for. Milliseconds. */
const mostPauseMs = 200

/** Looks until what it sees is right; after `withinMs` fails with what it saw last. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T>,
  isRight: (seen: T) => boolean,
  withinMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + withinMs
  let pauseMs = 20
  for (;;) {
    const seen = await look()
    if (isRight(seen)) return seen
    if (performance.now() > deadline) {
      throw new Error(`waited ${withinMs} ms for ${what}; last seen:\n${JSON.stringify(seen, null, 2)}`)
    }
    await sleep(pauseMs)
    pauseMs = Math.min(pauseMs * 1.5, mostPauseMs)
  }
}
