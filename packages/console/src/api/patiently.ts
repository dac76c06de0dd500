import { isThere } from './is-there.ts'

/** Interval between attempts to load a page's script. Milliseconds. */
const pauseMs = 2_000

/**
 * Loads a resource, retrying while the server doesn't respond. Fails if the server responds, because after an upgrade
 * a script has a new name.
 */
export async function patiently<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (await isThere()) throw error
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}
