import { createHmac, randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLocal } from '../../platform/auth/session-cookie.ts'
import type { Seal } from '../../platform/crypto/seal.ts'

/** A sign-in that was begun in a browser. Nothing of it is kept here: strangers could begin without end. */
export type Attempt = {
  id: string
  providerId: string
  /** What ties the provider's answer to this browser is made of it. */
  secret: string
  /** A page of ours. */
  returnTo: string
  expiresAt: number
}

const name = 'sluice_sign_in'
const path = '/auth/sign-in'

/** A cookie stands in no table. */
const place = 'a sign-in that was begun'

/** Long enough to sign in at the provider with a second factor. Seconds. */
export const attemptLifeS = 600

export const newAttempt = (wish: Pick<Attempt, 'providerId' | 'returnTo'>, now: Date): Attempt => ({
  id: randomBytes(16).toString('base64url'),
  secret: randomBytes(32).toString('base64url'),
  expiresAt: now.getTime() + attemptLifeS * 1_000,
  ...wish,
})

/** Only who has the cookie knows them: the state that comes back, the nonce in the token, the proof for the code. */
export function bindingsOf({ secret }: Attempt): { state: string; nonce: string; verifier: string } {
  const derive = (purpose: string) => createHmac('sha256', secret).update(purpose).digest('base64url')
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') }
}

export function keepAttempt(request: FastifyRequest, reply: FastifyReply, seal: Seal, attempt: Attempt): void {
  setCookie(request, reply, seal.close(place, JSON.stringify(attempt)), attemptLifeS)
}

export const dropAttempt = (request: FastifyRequest, reply: FastifyReply): void => setCookie(request, reply, '', 0)

/** The sign-in that this browser has begun at the provider, if it is not too long ago. */
export function attemptIn({ headers }: FastifyRequest, seal: Seal, providerId: string, now: Date): Attempt | undefined {
  const sealed = parseCookie(headers.cookie ?? '')[name]
  if (sealed === undefined || sealed === '') return undefined
  try {
    const attempt = JSON.parse(seal.open(place, sealed)) as Attempt
    return attempt.providerId === providerId && attempt.expiresAt > now.getTime() ? attempt : undefined
  } catch {
    return undefined // made up, or sealed with another key
  }
}

/** Lax: the provider sends people back from another site. */
function setCookie(request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number): void {
  const secure = !isLocal(request.hostname)
  reply.header('set-cookie', stringifySetCookie({ name, value, maxAge, path, httpOnly: true, sameSite: 'lax', secure }))
}
