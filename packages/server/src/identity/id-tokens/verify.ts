import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose'
import { claimsFault, clockTolerance } from './claims.ts'
import type { KeysOf } from './issuer-keys.ts'

/** Accepted algorithms. Only asymmetric ones: with `none` or a shared secret, anyone could sign. */
export const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** Error for an invalid token. Its message contains no internal data. */
export class IdTokenInvalid extends Error {
  override readonly name = 'IdTokenInvalid'
}

/** Error for an issuer whose keys cannot be fetched. */
export class IssuerUnreachable extends Error {
  override readonly name = 'IssuerUnreachable'
}

/** Returns the issuer that a token claims, before its signature is verified. */
export function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

/** Verifies a token's signature, times and type, and returns its claims. The caller checks the other claims. */
export async function verifyIdToken(
  keysOf: KeysOf,
  { token, issuer, now }: { token: string; issuer: string; now: Date },
): Promise<JWTPayload & { sub: string }> {
  const keys = await keysOf(issuer).catch((cause: Error) => {
    throw new IssuerUnreachable(cause.message, { cause })
  })
  const wishes = { issuer, algorithms, clockTolerance, currentDate: now, requiredClaims: ['exp', 'iat', 'sub', 'aud'] }
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, wishes)
    const { typ = 'JWT' } = protectedHeader
    if (typ.toUpperCase() !== 'JWT') throw new IdTokenInvalid(`It is of the type ${typ}, no ID token.`)
    const fault = claimsFault(payload, now)
    if (fault !== undefined) throw new IdTokenInvalid(`It cannot be read: ${fault}.`)
    return { ...payload, sub: String(payload.sub) }
  } catch (error) {
    throw troubleOf(error)
  }
}

function troubleOf(error: unknown): unknown {
  if (error instanceof IdTokenInvalid) return error
  if (error instanceof errors.JWTExpired) return new IdTokenInvalid('It has expired.')
  if (error instanceof errors.JWTClaimValidationFailed) return new IdTokenInvalid(`Its claim ${error.claim} is wrong.`)
  if (error instanceof errors.JWKSNoMatchingKey) return new IdTokenInvalid('The issuer has no such key.')
  if (error instanceof errors.JOSEAlgNotAllowed) return new IdTokenInvalid('It is not signed as tokens must be.')
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return unreachable(error)
  if (
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JOSENotSupported
  )
    return new IdTokenInvalid('It is not a signed token.')
  if (error instanceof errors.JOSEError && !(error.constructor === errors.JOSEError))
    return new IdTokenInvalid('Its signature is not of the issuer.')
  return unreachable(error) // fetching the keys failed
}

const unreachable = (cause: unknown) =>
  new IssuerUnreachable(cause instanceof Error ? cause.message : String(cause), { cause })
