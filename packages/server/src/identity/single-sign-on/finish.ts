import { sitePath } from '@sluice/contract/site-url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as oidc from 'openid-client'
import type { Logger } from 'pino'
import { setSessionCookie } from '../../platform/auth/session-cookie.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import { isTaken } from '../../platform/db/violations.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { originOf } from '../../platform/http/origin.ts'
import { startSession } from '../auth/sign-in.ts'
import { claimsFault } from '../id-tokens/claims.ts'
import { IssuerUnreachable } from '../id-tokens/verify.ts'
import { type Attempt, attemptIn, bindingsOf } from './attempt.ts'
import type { ClientOf } from './client.ts'
import { join, refused } from './join.ts'
import type { VerifiedClaims } from './machine.ts'
import { findProvider, type Provider, type ProviderParts } from './provider.ts'
import { markUsed } from './store.ts'

export type SignInParts = ProviderParts & { attemptSeal: Seal; clientOf: ClientOf; clock: () => Date; log: Logger }

/** Completes the sign-in after the provider's redirect. Returns the URL to continue at. */
export async function finishSignIn(
  parts: SignInParts,
  providerId: string,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<string> {
  const { db, attemptSeal, clock } = parts
  const attempt = attemptIn(request, attemptSeal, providerId, clock())
  if (!attempt) throw refused('signInStateInvalid', 'This browser has not begun it, or too long ago.')
  const provider = await findProvider(parts, providerId)
  if (!provider) throw refused('signInStateInvalid', 'The provider no longer exists.')
  const state = new URL(request.url, 'http://localhost').searchParams.get('state')
  if (state !== bindingsOf(attempt).state) throw refused('signInStateInvalid', 'The state is of another sign-in.')
  if (!(await markUsed(db, `sign-in ${attempt.id}`, new Date(attempt.expiresAt)))) {
    throw refused('signInStateInvalid', 'It came back before.')
  }
  const { claims, sid } = await redeem(parts, { provider, attempt, request })
  const { caller, token } = await enter(parts, { provider, claims, sid, request })
  request.server.callers.forget() // the groups may have changed the role in other sessions
  setSessionCookie(request, reply, token)
  parts.log.debug({ membershipId: caller.membershipId, provider: provider.id }, 'signed in by an identity provider')
  // Validated again, because an attempt started before an upgrade may contain another format.
  return sitePath(attempt.returnTo, originOf(request.server, request))
}

type Redeeming = { provider: Provider; attempt: Attempt; request: FastifyRequest }

/** Exchanges the code and returns the verified claims of the user. */
async function redeem(
  { clientOf, clock }: SignInParts,
  { provider, attempt, request }: Redeeming,
): Promise<{ claims: VerifiedClaims; sid: string | undefined }> {
  const { state, nonce, verifier } = bindingsOf(attempt)
  const client = await clientOf(provider)
  const here = new URL(request.url, originOf(request.server, request))
  try {
    const granted = await oidc.authorizationCodeGrant(client, here, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const tokenClaims = granted.claims()
    if (!tokenClaims) throw new Error('there is no ID token')
    const { sid } = tokenClaims
    const isComplete = tokenClaims.email !== undefined && tokenClaims[provider.groupsClaim] !== undefined
    const more =
      isComplete || client.serverMetadata().userinfo_endpoint === undefined
        ? {}
        : await oidc.fetchUserInfo(client, granted.access_token, tokenClaims.sub)
    const claims = merged(tokenClaims, more)
    const fault = claimsFault(claims, clock())
    if (fault !== undefined) throw new Error(fault)
    return { claims, sid: typeof sid === 'string' ? sid : undefined }
  } catch (cause) {
    throw refused('signInRefused', reasonOf(cause))
  }
}

/** Merges claims. The ID token takes precedence, and a verified address must not combine values of two sources. */
function merged(tokenClaims: VerifiedClaims, more: Record<string, unknown>): VerifiedClaims {
  const isOneAddress = tokenClaims.email === undefined || tokenClaims.email === more.email
  return { ...more, email_verified: isOneAddress ? more.email_verified : undefined, ...tokenClaims }
}

/** Returns the error's message and cause, which contain no codes or secrets. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}

type Entering = { provider: Provider; claims: VerifiedClaims; sid: string | undefined; request: FastifyRequest }

/** Retries once: two concurrent first sign-ins of a user may both try to create it. */
async function enter(parts: SignInParts, entering: Entering) {
  try {
    return await enterOnce(parts, entering)
  } catch (error) {
    if (!isTaken(error)) throw error
    return enterOnce(parts, entering)
  }
}

const enterOnce = ({ db }: SignInParts, { provider, claims, sid, request }: Entering) =>
  db.transaction(async (tx) => {
    const { identityId, membership } = await join(tx, provider, claims, request)
    return startSession(tx, { identityId, membership, providerSessionId: sid }, request)
  })

/** Returns the error key with which the user is redirected back, or undefined for unexpected errors. */
export function keyOf(error: unknown): ApiError['key'] | undefined {
  if (error instanceof IssuerUnreachable) return 'issuerUnreachable'
  return error instanceof ApiError ? error.key : undefined
}
