import { AsyncLocalStorage } from 'node:async_hooks'

/** Since when a request has been served, and how long it has waited for connections. Milliseconds. */
export type RequestWaits = { since: number; waitedMs: number }

const present = new AsyncLocalStorage<RequestWaits>()

/** Serves a request. It passes requests that came later whenever it needs a connection again. */
export const withRequestWaits = <T>(waits: RequestWaits, work: () => T): T => present.run(waits, work)

/** Returns the waits of the request that is being served, if one is. */
export const requestWaits = (): RequestWaits | undefined => present.getStore()
