import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until what is looked at is as wanted. Generous: it costs nothing where all is well. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T>,
  isAsWanted: (seen: T) => boolean,
  withinMs = 30_000,
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const seen = await look()
    if (isAsWanted(seen)) return seen
    if (performance.now() > deadline) throw new Error(`waited for ${what} in vain: ${JSON.stringify(seen)}`)
    await sleep(20)
  }
}
