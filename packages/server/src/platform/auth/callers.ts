import type { Caller } from './caller.ts'
import type { Credential } from './credential.ts'
import { type CredentialLookupCache, createCredentialLookupCache } from './recently-found.ts'

/** Cached callers by credential. */
export type Callers = CredentialLookupCache<Credential, Caller>

/** Looks up the caller of a valid credential. */
export type FindCaller = (credential: Credential) => Promise<Caller | undefined>

export const createCallers = (findCaller: FindCaller, nowMs?: () => number): Callers =>
  createCredentialLookupCache(findCaller, ({ type, tokenHash }) => [type, tokenHash], nowMs)
