import { randomBytes } from 'node:crypto'
import { siteUrl } from '@sluice/contract/site-url'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../platform/auth/caller.ts'
import { credentialIn } from '../../platform/auth/credential.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { originOf } from '../../platform/http/origin.ts'
import { present } from '../../platform/present.ts'
import type { GitState } from './state.ts'

export interface ReturnParts {
  /** Other origins to which people may be redirected. */
  returnOrigins: readonly string[]
}

/** Creates the state of an authorization flow. Rejects a return URL on a foreign site. */
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

/** Where the flow continues. `atHost` is the host's own URL. */
type Way = { host: keyof typeof pages; githostbInstanceId?: string | undefined; atHost: string }

/** Console pages that show the person and organization and then start the flow in the browser's session. */
const pages = { a: '/console/git-hosts/githosta', b: '/console/git-hosts/githostb' } as const

/**
 * Returns the URL for starting an authorization flow. In a browser session it leads directly to the host. With an API
 * key it leads to a console page that continues only for the same person and organization, so that no one else who
 * follows the link grants their own access.
 */
export function linkFor(caller: Caller, state: GitState, way: Way): string {
  if (caller.authSource === 'COOKIE') return way.atHost
  if (caller.principalType !== 'MEMBERSHIP') {
    const message = 'A user continues at the git host: begin with an API key of a member, or in the console.'
    throw new ApiError('gitPersonNeeded', message)
  }
  const page = new URL(pages[way.host], state.callbackUrl)
  const { organizationId, membershipId } = caller
  const { returnUrl } = state
  const named = present({ organizationId, membershipId, returnUrl, githostbInstanceId: way.githostbInstanceId })
  for (const [name, value] of Object.entries(named)) page.searchParams.set(name, value)
  return page.href
}

/**
 * Rejects a person other than the one who started the flow, so that a forwarded link cannot grant someone else's
 * access.
 */
export async function requireSamePerson(app: App, request: FastifyRequest, { actor }: GitState): Promise<void> {
  const credential = credentialIn(request.headers)
  const caller = credential && (await app.callers.find(credential))
  if (caller?.authSource === 'COOKIE' && caller.membershipId === actor.membershipId) return
  throw new ApiError(
    'gitStateInvalid',
    'This connection was started in another browser, or by a user who has since signed out.',
  )
}

/** Returns the URL to redirect to. Validates it again, because the request may use another host name. */
export function returnTo(
  app: App,
  { returnOrigins }: ReturnParts,
  request: FastifyRequest,
  { returnUrl }: GitState,
): string {
  const back = siteUrl(returnUrl, originOf(app, request), returnOrigins)?.href
  if (back === undefined) throw new ApiError('gitStateInvalid', `${returnUrl} is not a page of this service.`)
  return back
}
