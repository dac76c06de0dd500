import { isServerReachable } from './is-server-reachable.ts'

/** Interval between attempts to load a page's script. Milliseconds. */
const retryIntervalMs = 2_000

/**
 * Loads a resource, retrying while the server doesn't respond. Fails if the server responds, because after an upgrade
 * a script has a new name.
 */
export async function retryUntilReachable<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (await isServerReachable()) throw error
      await new Promise((resolve) => setTimeout(resolve, retryIntervalMs))
    }
  }
}
