import { apiKeyIn, storedApiKey } from './api-key.ts'
import type { Caller } from './caller.ts'

/** Who an authorization header belongs to; undefined for a missing, malformed, unknown, expired or revoked credential. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller | undefined>

/** Looks up a live key by its SHA-256 (hexadecimal). */
export type FindCaller = (tokenHash: string) => Promise<Caller | undefined>

/** A revoked key must die within a second; the lookup before it may be this old. */
const rememberedMs = 900

/** Far above the keys that are in use within a second; keeps the map from growing for ever. */
const maxRemembered = 10_000

/**
 * Remembers callers for less than a second, so that a burst of requests looks its key up once. Unknown keys are not
 * remembered: one made a moment ago works at once, and guessing cannot fill the memory.
 */
export function createAuthenticate(
  findCaller: FindCaller,
  nowMs: () => number = () => performance.now(),
): Authenticate {
  const remembered = new Map<string, { caller: Promise<Caller | undefined>; untilMs: number }>()

  return async (authorization) => {
    const key = apiKeyIn(authorization)
    if (key === undefined) return undefined
    const { tokenHash } = storedApiKey(key)
    const known = remembered.get(tokenHash)
    if (known && nowMs() < known.untilMs) return known.caller

    if (remembered.size >= maxRemembered) remembered.clear()
    const caller = findCaller(tokenHash)
    remembered.set(tokenHash, { caller, untilMs: nowMs() + rememberedMs })
    const forget = () => {
      if (remembered.get(tokenHash)?.caller === caller) remembered.delete(tokenHash)
    }
    caller.then((found) => found ?? forget(), forget)
    return caller
  }
}
