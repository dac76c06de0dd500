import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newToken } from './token.ts'

const name = 'sluice_session'
const prefix = 'sls_'

/** How long sessions live, in seconds, and by which clock. */
export interface SessionLife {
  /** Without being used. */
  unusedS: number
  /** At most, however much it is used: then the person signs in again. */
  longestS: number
  clock: () => Date
}

export const newSessionToken = (): string => newToken(prefix)

/** The session token among a request's cookies, if there is something like one. */
export function sessionTokenIn(cookies: string): string | undefined {
  const token = parseCookie(cookies)[name]
  return token?.match(/^sls_[\w-]{43}$/)?.[0]
}

/** Has the browser keep the session for as long as an unused one lives, counted from now. */
export function keepSession(request: FastifyRequest, reply: FastifyReply, token: string): void {
  setCookie(request, reply, token, request.server.sessionLife.unusedS)
}

export function dropSession(request: FastifyRequest, reply: FastifyReply): void {
  setCookie(request, reply, '', 0)
}

/** There is one cookie only, so the newest word on it replaces what the reply said before. */
function setCookie(request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number): void {
  const secure = !isLocal(request.hostname)
  reply.removeHeader('set-cookie')
  reply.header(
    'set-cookie',
    stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure }),
  )
}

/** Where people try Sluice out, without TLS: a browser would not send a secure cookie there. */
export const isLocal = (host: string) => ['localhost', '127.0.0.1', '[::1]'].includes(host)
