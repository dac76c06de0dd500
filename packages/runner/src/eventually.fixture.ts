import { setTimeout as sleep } from 'node:timers/promises'

/** Polls until the value matches. The timeout is generous, because it costs nothing when the test passes. */
export async function eventually<T>(
  what: string,
  observe: () => Promise<T>,
  matches: (value: T) => boolean,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const seen = await observe()
    if (matches(seen)) return seen
    if (performance.now() > deadline) throw new Error(`timed out waiting for ${what}: ${JSON.stringify(seen)}`)
    await sleep(20)
  }
}
