import { newApiKey } from '../auth/api-key.ts'
import { hashOf } from '../auth/token.ts'
import type { App } from './app.ts'

/** A service account in whose name the service asks its own operations. */
export type InsideCaller = { organizationId: string; serviceAccountId: string }

/** The way to our own operations, for work that nobody's request began. */
export interface Inside {
  /**
   * Asks as a service account until it is disposed of: who may do what, how often, and what is written down of it is
   * what holds for everybody. The key never leaves this process.
   */
  as(caller: InsideCaller): { token: string; fetch: typeof fetch } & Disposable
  /** Whose a key is that was made here. */
  callerOf(tokenHash: string): InsideCaller | undefined
}

/** In which a request is answered. Milliseconds. */
const longestMs = 60_000

/** `app` is asked for when it is first needed: a process that serves nobody makes it only then. */
export function createInside(app: () => Promise<App>): Inside {
  const callers = new Map<string, InsideCaller>()
  return {
    as(caller) {
      const token = newApiKey()
      const hash = hashOf(token)
      callers.set(hash, caller)
      return { token, fetch: fetchInside(app), [Symbol.dispose]: () => void callers.delete(hash) }
    },
    callerOf: (tokenHash) => callers.get(tokenHash),
  }
}

const fetchInside =
  (app: () => Promise<App>): typeof fetch =>
  async (input, init) => {
    const { pathname, search } = new URL(String(input))
    const { statusCode, headers, rawPayload } = await (await app()).inject({
      method: (init?.method ?? 'GET') as 'GET',
      url: pathname + search,
      headers: Object.fromEntries(new Headers(init?.headers)),
      signal: AbortSignal.timeout(longestMs),
      ...(typeof init?.body === 'string' && { payload: init.body }),
    })
    const told = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
    return new Response(statusCode === 204 ? null : new Uint8Array(rawPayload), { status: statusCode, headers: told })
  }
