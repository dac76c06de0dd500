import type { Caller } from './caller.ts'
import type { Credential } from './credential.ts'
import { type RecentlyFound, recentlyFound } from './recently-found.ts'

/** Who requests come from. */
export type Callers = RecentlyFound<Credential, Caller>

/** Looks up whom a live credential belongs to. */
export type FindCaller = (credential: Credential) => Promise<Caller | undefined>

export const createCallers = (findCaller: FindCaller, nowMs?: () => number): Callers =>
  recentlyFound(findCaller, ({ type, tokenHash }) => [type, tokenHash], nowMs)
