// biome-ignore-all lint/style/noRestrictedGlobals: no request leaves: it is answered inside this process.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { newToken } from '../auth/token.ts'

/** What a request of ours is known by. It is no secret of anybody: it counts for that request alone. */
const header = 'x-sluice-own-request'

/** An operation that is asked for, and what it answered. */
type Asked = { method: 'GET' | 'POST'; url: string; payload?: object }
type Answered = { status: number; body: unknown }

/** Looks up who asks, undefined where they are gone: at each request, so that what they may is what holds then. */
type FindCaller = () => Promise<Caller | undefined>

/** In which a request of work that nobody waits for is answered. Milliseconds. */
const longestMs = 60_000

/**
 * Requests that this process makes of its own operations for somebody whom it knows otherwise than by a credential: who
 * may do what, how often, and what is written down of it is what holds for everybody.
 */
export class OwnRequests {
  readonly #app: () => Promise<FastifyInstance>
  readonly #callers = new Map<string, FindCaller>()

  /** `app` is asked for when it is first needed: a process that serves nobody makes it only then. */
  constructor(app: () => Promise<FastifyInstance>) {
    this.#app = app
  }

  /** Who is asked for, where it is such a request. */
  async callerOf(headers: IncomingHttpHeaders): Promise<Caller | undefined> {
    const ticket = headers[header]
    return typeof ticket === 'string' ? this.#callers.get(ticket)?.() : undefined
  }

  /** Asks for an operation, as `from` came: its address, its program and its id are those of the request. */
  async ask(caller: Caller, from: FastifyRequest, asked: Asked): Promise<Answered> {
    const { host = '', 'user-agent': userAgent = '' } = from.headers
    const headers = { host, 'user-agent': userAgent, 'x-request-id': from.id }
    const { statusCode, body } = await this.#send(async () => caller, { ...asked, headers, remoteAddress: from.ip })
    return { status: statusCode, body: body === '' ? undefined : JSON.parse(body) }
  }

  /** The way to all operations, for work that nobody's request began. */
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
