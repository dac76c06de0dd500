import { routes } from '@sluice/contract'
import { sitePath } from '@sluice/contract/site-url'
import * as oidc from 'openid-client'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { originOf } from '../../platform/http/origin.ts'
import { present } from '../../platform/present.ts'
import type { OnSignIn } from '../auth/sign-in.ts'
import type { KeysOf } from '../id-tokens/issuer-keys.ts'
import { IssuerUnreachable } from '../id-tokens/verify.ts'
import { bindingsOf, dropAttempt, newAttempt, storeAttempt } from './attempt.ts'
import { signOutBy } from './back-channel.ts'
import { finishSignIn, keyOf, type SignInParts } from './finish.ts'
import { callbackPath } from './paths.ts'
import { chooseProvider, findProvider, installationId, type Provider } from './provider.ts'
import { providerOfSession } from './store.ts'

type Parts = SignInParts & {
  keysOf: KeysOf
  operatorKeysOf: KeysOf
  signInNote: string | undefined
  onSignIn: OnSignIn
}

const signInPage = '/console/sign-in'

/** `db` is not scoped to an organization, because a user who signs in has none yet. */
export function serveSingleSignOn(app: App, parts: Parts): void {
  const { db, clientOf, attemptSeal, clock, log } = parts

  handle(app, routes.getSignInMethods, async () => {
    const provider = await parts.installationProvider()
    return { data: present({ installationProvider: provider?.name, note: parts.signInNote }) }
  })

  handle(app, routes.beginSignIn, async ({ body: { data }, request, reply }) => {
    const provider = await chooseProvider(parts, data)
    if (!provider) throw new ApiError('identityProviderNotFound', noProvider)
    const client = await reached(clientOf(provider))
    const origin = originOf(app, request)
    const attempt = newAttempt({ providerId: provider.id, returnTo: sitePath(data.returnTo, origin) }, clock())
    const { state, nonce, verifier } = bindingsOf(attempt)
    const url = oidc.buildAuthorizationUrl(client, {
      redirect_uri: origin + callbackPath(provider.id),
      scope: scopesOf(client, provider),
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(data.email !== undefined && { login_hint: data.email }),
    })
    storeAttempt(request, reply, attemptSeal, attempt)
    return { data: { url: url.href } }
  })

  handle(app, routes.finishSignIn, async ({ params, request, reply }) => {
    try {
      reply.header('location', await finishSignIn(parts, params.id, { request, reply }))
      parts.onSignIn('identity_provider', 'ok')
    } catch (error) {
      const key = keyOf(error)
      if (key === undefined) throw error
      parts.onSignIn('identity_provider', 'refused')
      log.warn({ provider: params.id, key, why: (error as Error).message }, 'sign-in failed')
      reply.header('location', `${signInPage}?refused=${key}`)
    }
    dropAttempt(request, reply)
  })

  handle(app, routes.getSignOutLink, async ({ caller }) => {
    const providerId = await providerOfSession(db, caller.identityId)
    const provider = providerId && (await findProvider(parts, providerId))
    if (!provider) return { data: {} }
    // Signing out of Sluice must not depend on the provider.
    const client = await clientOf(provider).catch(() => undefined)
    return { data: client ? signOutLink(client) : {} }
  })

  serveBackChannel(app, parts)

  const signOutLink = (client: oidc.Configuration) =>
    client.serverMetadata().end_session_endpoint === undefined ? {} : { url: oidc.buildEndSessionUrl(client).href }
}

/** Accepts forms only here, because other sites can make browsers submit forms. */
function serveBackChannel(app: App, parts: Parts): void {
  app.register(async (inner) => {
    inner.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
    )
    handle(inner, routes.signOutByProvider, async ({ params, body, reply }) => {
      const provider = await findProvider(parts, params.id)
      if (!provider) throw new ApiError('logoutTokenRefused', `There is no provider ${params.id}.`)
      const keysOf = provider.id === installationId ? parts.operatorKeysOf : parts.keysOf
      await reached(signOutBy({ ...parts, keysOf }, provider, body.logout_token))
      app.callers.forget()
      reply.header('cache-control', 'no-store')
      return {}
    })
  })
}

const noProvider =
  'Single sign-on is not set up for that: sign in with a password, or name the organization by its givenId.'

async function reached<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking
  } catch (error) {
    if (!(error instanceof IssuerUnreachable)) throw error
    throw new ApiError('issuerUnreachable', `The identity provider cannot be reached: ${error.message}`)
  }
}

/** Requests the groups scope only if the provider supports it, because others reject unknown scopes. */
function scopesOf(client: oidc.Configuration, { groupsClaim }: Provider): string {
  const { scopes_supported: known = [] } = client.serverMetadata()
  return ['openid', 'email', 'profile', ...(known.includes(groupsClaim) ? [groupsClaim] : [])].join(' ')
}
