import { storageFaultsOf } from '../../platform/http/faults.ts'

/**
 * Maximum claim length, above what issuers use (OpenID Connect Core 2: 255; GitLab: about 550) and short enough for an
 * index.
 */
const maxLength = 600

/** Tolerated clock skew of the issuer, in seconds. */
export const clockTolerance = 30

/**
 * Returns why the claims of a token with a valid signature are unacceptable. They are untrusted input that the database
 * may be unable to store.
 */
export function claimsFault(claims: Readonly<Record<string, unknown>>, now: Date): string | undefined {
  const [fault] = storageFaultsOf(claims)
  if (fault !== undefined) return `claim ${fault}`
  const { iat } = claims
  const nowS = now.getTime() / 1_000
  if (iat !== undefined && !(typeof iat === 'number' && iat <= nowS + clockTolerance)) {
    return 'claim iat: expected a time that is not in the future'
  }
  const wrong = ['sub', 'sid', 'jti', 'nonce'].find((name) => claims[name] !== undefined && !isName(claims[name]))
  return wrong === undefined ? undefined : `claim ${wrong}: expected a text of 1 to ${maxLength} characters`
}

const isName = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() !== '' && value.length <= maxLength
