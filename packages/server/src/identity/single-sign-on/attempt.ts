import { createHmac, randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLocal } from '../../platform/auth/session-cookie.ts'
import type { Seal } from '../../platform/crypto/seal.ts'

/** Sign-in attempt of a browser. It is stored in a cookie, so that strangers cannot fill the database. */
export type Attempt = {
  id: string
  providerId: string
  /** Secret from which the values that bind the response to this browser are derived. */
  secret: string
  /** Path of the page to return to. */
  returnTo: string
  expiresAt: number
}

const name = 'sluice_sign_in'
const path = '/auth/sign-in'

/** Encryption context, because a cookie has no table. */
const place = 'a sign-in that was begun'

/** Maximum duration of a sign-in, in seconds: enough for a second factor. */
export const attemptLifeS = 600

export const newAttempt = (request: Pick<Attempt, 'providerId' | 'returnTo'>, now: Date): Attempt => ({
  id: randomBytes(16).toString('base64url'),
  secret: randomBytes(32).toString('base64url'),
  expiresAt: now.getTime() + attemptLifeS * 1_000,
  ...request,
})

/** Derives the state, nonce and PKCE verifier, which only the owner of the cookie knows. */
export function bindingsOf({ secret }: Attempt): { state: string; nonce: string; verifier: string } {
  const derive = (purpose: string) => createHmac('sha256', secret).update(purpose).digest('base64url')
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') }
}

export function storeAttempt(request: FastifyRequest, reply: FastifyReply, seal: Seal, attempt: Attempt): void {
  setCookie(request, reply, seal.close(place, JSON.stringify(attempt)), attemptLifeS)
}

export const dropAttempt = (request: FastifyRequest, reply: FastifyReply): void => setCookie(request, reply, '', 0)

/** Returns this browser's unexpired sign-in attempt. */
export function attemptIn({ headers }: FastifyRequest, seal: Seal, providerId: string, now: Date): Attempt | undefined {
  const sealed = parseCookie(headers.cookie ?? '')[name]
  if (sealed === undefined || sealed === '') return undefined
  try {
    const attempt = JSON.parse(seal.open(place, sealed)) as Attempt
    return attempt.providerId === providerId && attempt.expiresAt > now.getTime() ? attempt : undefined
  } catch {
    return undefined // forged, or encrypted with another key
  }
}

/** SameSite=Lax, because the provider redirects from another site. */
function setCookie(request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number): void {
  const secure = !isLocal(request.hostname)
  reply.header('set-cookie', stringifySetCookie({ name, value, maxAge, path, httpOnly: true, sameSite: 'lax', secure }))
}
