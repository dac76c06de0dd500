import type { Caller } from './caller.ts'
import type { Credential } from './credential.ts'

/** Who requests come from. */
export interface Callers {
  /** Whom a credential belongs to; undefined if it is unknown, expired or revoked. */
  find(credential: Credential): Promise<Caller | undefined>
  /** Looks everybody up anew: to be called when somebody's rights have changed, so that this process knows at once. */
  forget(): void
}

/** Looks up whom a live credential belongs to. */
export type FindCaller = (credential: Credential) => Promise<Caller | undefined>

/** A revoked credential must die within a second in every process; the lookup before it may be this old. */
const rememberedMs = 900

/** Far above the credentials that are in use within a second; keeps the map from growing for ever. */
const maxRemembered = 10_000

/**
 * Remembers callers for less than a second, so that a burst of requests looks its credential up once. Unknown ones are
 * not remembered: one made a moment ago works at once, and guessing cannot fill the memory.
 */
export function createCallers(findCaller: FindCaller, nowMs: () => number = () => performance.now()): Callers {
  const remembered = new Map<string, { caller: Promise<Caller | undefined>; untilMs: number }>()

  async function find(credential: Credential): Promise<Caller | undefined> {
    const key = `${credential.type} ${credential.tokenHash}`
    const known = remembered.get(key)
    if (known && nowMs() < known.untilMs) return known.caller

    if (remembered.size >= maxRemembered) remembered.clear()
    const caller = findCaller(credential)
    remembered.set(key, { caller, untilMs: nowMs() + rememberedMs })
    const forgetThis = () => {
      if (remembered.get(key)?.caller === caller) remembered.delete(key)
    }
    caller.then((found) => found ?? forgetThis(), forgetThis)
    return caller
  }

  return { find, forget: () => remembered.clear() }
}
