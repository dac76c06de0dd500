import type { ExchangedToken, ExchangeIdToken } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import { newApiKey, storedApiKey } from '../../platform/auth/api-key.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { insertApiKey } from '../api-keys/store.ts'
import { recordChange } from '../audit-events/record.ts'
import type { KeysOf } from '../id-tokens/issuer-keys.ts'
import { claimedIssuer, IdTokenInvalid, IssuerUnreachable, verifyIdToken } from '../id-tokens/verify.ts'
import type { ServiceAccountRow } from '../service-accounts/store.ts'
import { type TokenClaims, wrongClaims } from './machine.ts'
import { findTrustsIn, removeExpiredTokens, type TrustRow } from './store.ts'

export type ExchangeParts = { db: Db; keysOf: KeysOf; clock: () => Date }

/**
 * Exchanges an ID token of a trusted issuer for a short-lived token. Limited like password attempts, because legitimate
 * callers have a valid token.
 */
export async function exchange(
  { db, keysOf, clock }: ExchangeParts,
  { serviceAccountId, idToken }: ExchangeIdToken,
  request: FastifyRequest,
): Promise<ExchangedToken> {
  let why = ''
  const by = { address: request.ip, account: serviceAccountId }
  const given = await request.server.attempts.atPassword(by, async () => {
    try {
      const found = await findTrust({ db, keysOf, clock }, serviceAccountId, idToken)
      return await giveToken(db, { ...found, request, now: clock() })
    } catch (error) {
      if (!(error instanceof IdTokenInvalid)) throw apiErrorOf(error)
      why = error.message
      return undefined
    }
  })
  if (!given) throw new ApiError('idTokenRefused', `The token is not valid for sign-in. ${why}`)
  return given
}

const apiErrorOf = (error: unknown): unknown =>
  error instanceof IssuerUnreachable
    ? new ApiError('issuerUnreachable', `The keys of the issuer could not be read: ${error.message}`)
    : error

type Found = { trust: TrustRow; account: ServiceAccountRow; claims: TokenClaims }

/** Returns the trust that the token matches. Throws with the mismatch otherwise. */
async function findTrust(
  { db, keysOf, clock }: ExchangeParts,
  serviceAccountId: string,
  token: string,
): Promise<Found> {
  const issuer = claimedIssuer(token)
  if (issuer === undefined) throw new IdTokenInvalid('It is not a signed token of an issuer.')
  // Only trusted issuers are contacted, so that strangers cannot trigger requests to arbitrary hosts.
  const trusts = await findTrustsIn(db, issuer, serviceAccountId)
  if (trusts.length === 0) throw new IdTokenInvalid(`The service account trusts no issuer ${issuer}.`)
  const claims = await verifyIdToken(keysOf, { token, issuer, now: clock() })
  const right = trusts.find(({ trust }) => wrongClaims(trust, claims).length === 0)
  if (right) return { ...right, claims }
  const nearest = trusts.map(({ trust }) => wrongClaims(trust, claims)).toSorted((a, b) => a.length - b.length)[0] ?? []
  throw new IdTokenInvalid(`No trust accepts it. Check ${nearest.map((name) => `\`${name}\``).join(', ')}.`)
}

async function giveToken(
  db: Db,
  { trust, account, claims, request, now }: Found & { request: FastifyRequest; now: Date },
): Promise<ExchangedToken> {
  const token = newApiKey()
  const { organizationId, id: serviceAccountId, name } = account
  const expiresAt = new Date(now.getTime() + trust.tokenLifetimeSeconds * 1_000)
  await db.transaction(async (tx) => {
    await removeExpiredTokens(tx, trust.id, now)
    const key = { organizationId, serviceAccountId, trustId: trust.id, name: trust.name, expiresAt }
    const { id } = await insertApiKey(tx, { ...key, ...storedApiKey(token) })
    const caller = { organizationId, principalType: 'SERVICE_ACCOUNT', membershipId: serviceAccountId } as const
    const change = { action: 'service-account-tokens.create', resourceType: 'service-account-token', resourceId: id }
    const details = { trustId: trust.id, issuer: trust.issuer, subject: claims.sub, expiresAt: expiresAt.toISOString() }
    await recordChange(tx, { caller: { ...caller, email: '', fullName: name }, request }, { ...change, details })
  })
  return { serviceAccountId, token, expiresAt: expiresAt.toISOString() }
}
