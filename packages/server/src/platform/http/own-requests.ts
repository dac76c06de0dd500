import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { newToken } from '../auth/token.ts'

/** What a request of ours is known by. It is no secret of anybody: it counts for that request alone. */
const header = 'x-sluice-own-request'

/** An operation that is asked for, and what it answered. */
type Asked = { method: 'GET' | 'POST'; url: string; payload?: object }
type Answered = { status: number; body: unknown }

/**
 * Requests that this process makes of its own operations for somebody whom it knows otherwise than by a credential: who
 * may do what, how often, and what is written down of it is what holds for everybody.
 */
export class OwnRequests {
  readonly #callers = new Map<string, Caller>()

  /** Who is asked for, where it is such a request. */
  callerOf(headers: IncomingHttpHeaders): Caller | undefined {
    const ticket = headers[header]
    return typeof ticket === 'string' ? this.#callers.get(ticket) : undefined
  }

  /** Asks for an operation, as `from` came: its address, its program and its id are those of the request. */
  async ask(app: FastifyInstance, caller: Caller, from: FastifyRequest, asked: Asked): Promise<Answered> {
    const ticket = newToken('slo_')
    this.#callers.set(ticket, caller)
    try {
      const { host = '', 'user-agent': userAgent = '' } = from.headers
      const { statusCode, body } = await app.inject({
        ...asked,
        headers: { host, 'user-agent': userAgent, 'x-request-id': from.id, [header]: ticket },
        remoteAddress: from.ip,
      })
      return { status: statusCode, body: body === '' ? undefined : JSON.parse(body) }
    } finally {
      this.#callers.delete(ticket)
    }
  }
}
