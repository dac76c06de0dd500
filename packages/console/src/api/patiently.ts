import { isThere } from './is-there.ts'

/** Between two attempts to load a page's script while the service is away. Milliseconds. */
const pauseMs = 2_000

/**
 * Loads something of the service, however long that is away. What cannot be had though the service is there fails:
 * after an upgrade the script of a page has another name.
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
