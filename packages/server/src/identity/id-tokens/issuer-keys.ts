import type { OutboundFetch } from '@sluice/outbound/fetch'
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import { PromiseCache } from '../../platform/promise-cache.ts'

/** The keys that an issuer signs with, as it publishes them. Throws where the issuer cannot be asked. */
export type KeysOf = (issuer: string) => Promise<JWTVerifyGetKey>

/** How long the metadata of an issuer is reused. Milliseconds. */
const ttlMs = 3_600_000

/** How long keys are kept, and how often one that is not among them has them asked for anew. Milliseconds. */
const keys = { cacheMaxAge: 600_000, cooldownDuration: 30_000 }

/** Far above what an installation trusts. */
const maxIssuers = 1_000

/** Keeps the keys of each issuer by itself: a key counts for the issuer that published it, whatever its id. */
export function createKeysOf({ fetch, clock }: { fetch: OutboundFetch; clock: () => Date }): KeysOf {
  const cache = new PromiseCache<JWTVerifyGetKey>({ max: maxIssuers, ttlMs, nowMs: () => clock().getTime() })
  return (issuer) => cache.get([issuer], () => findKeys(issuer, fetch))
}

async function findKeys(issuer: string, fetch: OutboundFetch): Promise<JWTVerifyGetKey> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await fetch(address, { method: 'GET' })
  if (answer.status !== 200) throw new Error(`${address} answered ${answer.status}`)
  const said: unknown = await answer.json()
  if (Reflect.get(Object(said), 'issuer') !== issuer) throw new Error(`${address} is of another issuer`)
  const url = URL.parse(String(Reflect.get(Object(said), 'jwks_uri')))
  if (!url) throw new Error(`${address} names no jwks_uri`)
  // Keys that come without TLS are only as good as an issuer without it.
  if (url.protocol !== 'https:' && !issuer.startsWith('http:')) throw new Error(`${address}: jwks_uri is without TLS`)
  return createRemoteJWKSet(url, { ...keys, [customFetch]: fetch })
}
