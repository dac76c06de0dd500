import type { OutboundFetch } from '@sluice/outbound/fetch'
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import { PromiseCache } from '../../platform/promise-cache.ts'

/** Returns a function that finds an issuer's published signing keys. Throws if the issuer is unreachable. */
export type KeysOf = (issuer: string) => Promise<JWTVerifyGetKey>

/** TTL of an issuer's metadata, in milliseconds. */
const ttlMs = 3_600_000

/** TTL of an issuer's keys, and the minimum interval between refreshes for unknown key ids, in milliseconds. */
const keys = { cacheMaxAge: 600_000, cooldownDuration: 30_000 }

/** Maximum number of cached issuers, more than an installation trusts. */
const maxIssuers = 1_000

/** Caches keys per issuer, so that a key is valid only for the issuer that published it, whatever its id. */
export function createKeysOf({ fetch, clock }: { fetch: OutboundFetch; clock: () => Date }): KeysOf {
  const cache = new PromiseCache<JWTVerifyGetKey>({ max: maxIssuers, ttlMs, nowMs: () => clock().getTime() })
  return (issuer) => cache.get([issuer], () => findKeys(issuer, fetch))
}

async function findKeys(issuer: string, fetch: OutboundFetch): Promise<JWTVerifyGetKey> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await fetch(address, { method: 'GET' })
  if (answer.status !== 200) throw new Error(`${address} answered ${answer.status}`)
  const body: unknown = await answer.json()
  if (Reflect.get(Object(body), 'issuer') !== issuer) throw new Error(`${address} is of another issuer`)
  const url = URL.parse(String(Reflect.get(Object(body), 'jwks_uri')))
  if (!url) throw new Error(`${address} names no jwks_uri`)
  // Keys fetched without TLS are no more trustworthy than an issuer without TLS.
  if (url.protocol !== 'https:' && !issuer.startsWith('http:')) throw new Error(`${address}: jwks_uri is without TLS`)
  return createRemoteJWKSet(url, { ...keys, [customFetch]: fetch })
}
