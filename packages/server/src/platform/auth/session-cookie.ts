import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newToken } from './token.ts'

const name = 'sluice_session'
const prefix = 'sls_'

/** Lifetime of sessions in seconds, and the clock that measures it. */
export interface SessionLife {
  /** Maximum time without use. */
  unusedS: number
  /** Maximum total time, after which the user must sign in again. */
  longestS: number
  clock: () => Date
}

export const newSessionToken = (): string => newToken(prefix)

/** Returns the session token in the cookies of a request; undefined if there is none. */
export function sessionTokenIn(cookies: string): string | undefined {
  const token = parseCookie(cookies)[name]
  return token?.match(/^sls_[\w-]{43}$/)?.[0]
}

/** Sets the session cookie with the lifetime of an unused session. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  setCookie(request, reply, token, request.server.sessionLife.unusedS)
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  setCookie(request, reply, '', 0)
}

/** Sets the cookie, in place of an earlier value in the same response. */
function setCookie(request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number): void {
  const secure = !isLocal(request.hostname)
  reply.removeHeader('set-cookie')
  reply.header(
    'set-cookie',
    stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure }),
  )
}

/** Reports whether a host is local, where people try Sluice without TLS. Browsers do not send secure cookies there. */
export const isLocal = (host: string) => ['localhost', '127.0.0.1', '[::1]'].includes(host)
