import type { Caller } from './caller.ts'
import type { Credential } from './credential.ts'
import { type RecentlyFound, recentlyFound } from './recently-found.ts'

/** Cached callers by credential. */
export type Callers = RecentlyFound<Credential, Caller>

/** Looks up the caller of a valid credential. */
export type FindCaller = (credential: Credential) => Promise<Caller | undefined>

export const createCallers = (findCaller: FindCaller, nowMs?: () => number): Callers =>
  recentlyFound(findCaller, ({ type, tokenHash }) => [type, tokenHash], nowMs)
