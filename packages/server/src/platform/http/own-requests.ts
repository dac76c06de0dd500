// biome-ignore-all lint/style/noRestrictedGlobals: no request leaves: it is answered inside this process.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { newToken } from '../auth/token.ts'

/** Header with a random token that identifies an internal request. The token is valid only for that request. */
const header = 'x-sluice-own-request'

type Asked = { method: 'GET' | 'POST'; url: string; payload?: object }
type Answered = { status: number; body: unknown }

/**
 * Returns the caller, or undefined if it no longer exists. Runs for each request, so that current permissions apply.
 */
type FindCaller = () => Promise<Caller | undefined>

/** Timeout of a background request, in milliseconds. */
const longestMs = 60_000

/**
 * Sends requests to operations inside the process, for callers that are known without a credential, such as Slack
 * users. The same permissions, limits and audit log apply as for external requests.
 */
export class OwnRequests {
  readonly #app: () => Promise<FastifyInstance>
  readonly #callers = new Map<string, FindCaller>()

  /** `app` is called for the first request, because a process without the API role creates the app only then. */
  constructor(app: () => Promise<FastifyInstance>) {
    this.#app = app
  }

  /** Returns the caller of an internal request, or undefined for an external one. */
  async callerOf(headers: IncomingHttpHeaders): Promise<Caller | undefined> {
    const ticket = headers[header]
    return typeof ticket === 'string' ? this.#callers.get(ticket)?.() : undefined
  }

  /** Sends a request on behalf of another one, with its client address, user agent and request id. */
  async ask(caller: Caller, from: FastifyRequest, asked: Asked): Promise<Answered> {
    const { host = '', 'user-agent': userAgent = '' } = from.headers
    const headers = { host, 'user-agent': userAgent, 'x-request-id': from.id }
    const { statusCode, body } = await this.#send(async () => caller, { ...asked, headers, remoteAddress: from.ip })
    return { status: statusCode, body: body === '' ? undefined : JSON.parse(body) }
  }

  /** Returns a `fetch` that calls operations as this caller, for background work. */
  fetchAs(find: FindCaller): typeof fetch {
    return async (input, init) => {
      const { pathname, search } = new URL(String(input))
      const { statusCode, headers, rawPayload } = await this.#send(find, {
        method: (init?.method ?? 'GET') as 'GET',
        url: pathname + search,
        headers: Object.fromEntries(new Headers(init?.headers)),
        signal: AbortSignal.timeout(longestMs),
        ...(typeof init?.body === 'string' && { payload: init.body }),
      })
      const told = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
      return new Response(statusCode === 204 ? null : new Uint8Array(rawPayload), { status: statusCode, headers: told })
    }
  }

  async #send(find: FindCaller, { headers, ...asked }: InjectOptions) {
    const app = await this.#app()
    const ticket = newToken('slo_')
    this.#callers.set(ticket, find)
    try {
      return await app.inject({ ...asked, headers: { ...headers, [header]: ticket } })
    } finally {
      this.#callers.delete(ticket)
    }
  }
}
