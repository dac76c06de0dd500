import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../platform/auth/caller.ts'
import { credentialIn } from '../../platform/auth/credential.ts'
import type { App } from '../../platform/http/app.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { originOf } from '../../platform/http/origin.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { present } from '../../platform/present.ts'
import { readReturnUrl } from './return-url.ts'
import type { GitState } from './state.ts'

export interface ReturnParts {
  /** Other sites that people may be sent back to. */
  returnOrigins: readonly string[]
}

/** What is remembered of a wish to go to a git host; refuses to come back to a place that is not ours. */
export function stateOf(
  app: App,
  { returnOrigins }: ReturnParts,
  { caller, request }: { caller: Caller; request: FastifyRequest },
  {
    purpose,
    callback,
    returnUrl = '/',
  }: { purpose: GitState['purpose']; callback: string; returnUrl?: string | undefined },
): GitState {
  const own = originOf(app, request)
  const back = readReturnUrl(returnUrl, own, returnOrigins)
  if (back === undefined) {
    throw bodyInvalid([`$.data.returnUrl: expected a page of ${[own, ...returnOrigins].join(' or ')}`])
  }
  const { organizationId, principalType, membershipId, email, fullName } = caller
  return {
    purpose,
    actor: present({ organizationId, principalType, membershipId, email, fullName }),
    isOfSession: caller.authSource === 'COOKIE',
    returnUrl: back,
    callbackUrl: own + callback,
    verifier: randomBytes(32).toString('base64url'),
  }
}

/**
 * Refuses somebody else than the one who began it in a browser: a link of mine that you follow must not give me what is
 * yours. Who began with an API key has no browser to be known by; such a link is for its maker alone.
 */
export async function requireSamePerson(
  app: App,
  request: FastifyRequest,
  { isOfSession, actor }: GitState,
): Promise<void> {
  if (!isOfSession) return
  const credential = credentialIn(request.headers)
  const caller = credential && (await app.callers.find(credential))
  if (caller?.membershipId === actor.membershipId) return
  throw new Refusal('gitStateInvalid', 'This was begun in another browser, or by somebody who has signed out since.')
}

/** Where to send the person now; the place is looked at again, since it may be asked for under another name. */
export function returnTo(
  app: App,
  { returnOrigins }: ReturnParts,
  request: FastifyRequest,
  { returnUrl }: GitState,
): string {
  const back = readReturnUrl(returnUrl, originOf(app, request), returnOrigins)
  if (back === undefined) throw new Refusal('gitStateInvalid', `${returnUrl} is no page of this service.`)
  return back
}
