import { randomBytes } from 'node:crypto'
import { siteUrl } from '@sluice/contract/site-url'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../platform/auth/caller.ts'
import { credentialIn } from '../../platform/auth/credential.ts'
import type { App } from '../../platform/http/app.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { originOf } from '../../platform/http/origin.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { present } from '../../platform/present.ts'
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
  const back = siteUrl(returnUrl, own, returnOrigins)?.href
  if (back === undefined) {
    throw bodyInvalid([`$.data.returnUrl: expected a page of ${[own, ...returnOrigins].join(' or ')}`])
  }
  const { organizationId, principalType, membershipId, email, fullName } = caller
  return {
    purpose,
    actor: present({ organizationId, principalType, membershipId, email, fullName }),
    returnUrl: back,
    callbackUrl: own + callback,
    verifier: randomBytes(32).toString('base64url'),
  }
}

/** Where somebody goes on at a host; `atHost` is the link to the host itself. */
type Way = { host: keyof typeof pages; githostbInstanceId?: string | undefined; atHost: string }

/** Pages of the console that name the person and the organization and begin anew in the browser's own session. */
const pages = { a: '/console/git-hosts/githosta', b: '/console/git-hosts/githostb' } as const

/**
 * The link for who wants to go to a host. It leads there at once only in the session that is to come back from there.
 * An API key has no browser to be known by, so its link leads to a page that goes on for that person in that
 * organization alone: whoever else follows it must not give away what is theirs.
 */
export function linkFor(caller: Caller, state: GitState, way: Way): string {
  if (caller.authSource === 'COOKIE') return way.atHost
  if (caller.principalType !== 'MEMBERSHIP') {
    const message = 'A person goes on at the git host: begin with an API key of a member, or in the console.'
    throw new Refusal('gitPersonNeeded', message)
  }
  const page = new URL(pages[way.host], state.callbackUrl)
  const { organizationId, membershipId } = caller
  const { returnUrl } = state
  const named = present({ organizationId, membershipId, returnUrl, githostbInstanceId: way.githostbInstanceId })
  for (const [name, value] of Object.entries(named)) page.searchParams.set(name, value)
  return page.href
}

/** Refuses somebody else than the one who began it: a link of mine that you follow must not give me what is yours. */
export async function requireSamePerson(app: App, request: FastifyRequest, { actor }: GitState): Promise<void> {
  const credential = credentialIn(request.headers)
  const caller = credential && (await app.callers.find(credential))
  if (caller?.authSource === 'COOKIE' && caller.membershipId === actor.membershipId) return
  throw new Refusal('gitStateInvalid', 'This was begun in another browser, or by somebody who has signed out since.')
}

/** Where to send the person now; the place is looked at again, since it may be asked for under another name. */
export function returnTo(
  app: App,
  { returnOrigins }: ReturnParts,
  request: FastifyRequest,
  { returnUrl }: GitState,
): string {
  const back = siteUrl(returnUrl, originOf(app, request), returnOrigins)?.href
  if (back === undefined) throw new Refusal('gitStateInvalid', `${returnUrl} is no page of this service.`)
  return back
}
