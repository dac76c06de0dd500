import { storageFaultsOf } from '../../platform/http/faults.ts'

/** Longer than issuers make them (OpenID Connect Core 2: 255; GitLab: some 550), and short enough for an index. */
const maxLength = 600

/** How far our clock and the issuer's may be apart. Seconds. */
export const clockTolerance = 30

/**
 * Returns what is wrong with the claims of a token whose signature is right: what an issuer signs is as foreign as any
 * other input, and must not reach the database where that cannot store it.
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
