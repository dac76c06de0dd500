import { systemClock } from '../clock.ts'

/** Finds whom something that a request shows belongs to, and remembers it for less than a second. */
export interface RecentlyFound<Shown, Found> {
  /** Undefined if it is unknown, expired or revoked. */
  find(shown: Shown): Promise<Found | undefined>
  /** Looks everybody up anew: to be called when somebody's rights have changed, so that this process knows at once. */
  forget(): void
}

/** What is revoked must be dead within a second in every process; the lookup before it may be this old. */
const rememberedMs = 900

/** Far above what is shown within a second; keeps the map from growing for ever. */
const maxRemembered = 10_000

/**
 * A burst of requests that show the same looks it up once. Unknown ones are not remembered: one made a moment ago works
 * at once, and guessing cannot fill the memory.
 */
export function recentlyFound<Shown, Found>(
  lookUp: (shown: Shown) => Promise<Found | undefined>,
  keyOf: (shown: Shown) => string,
  nowMs: () => number = systemClock.monotonicMs,
): RecentlyFound<Shown, Found> {
  const remembered = new Map<string, { found: Promise<Found | undefined>; untilMs: number }>()

  async function find(shown: Shown): Promise<Found | undefined> {
    const key = keyOf(shown)
    const known = remembered.get(key)
    if (known && nowMs() < known.untilMs) return known.found

    if (remembered.size >= maxRemembered) remembered.clear()
    const found = lookUp(shown)
    remembered.set(key, { found, untilMs: nowMs() + rememberedMs })
    const forgetThis = () => {
      if (remembered.get(key)?.found === found) remembered.delete(key)
    }
    found.then((one) => one ?? forgetThis(), forgetThis)
    return found
  }

  return { find, forget: () => remembered.clear() }
}
