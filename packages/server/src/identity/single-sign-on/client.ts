import type { OutboundFetch } from '@sluice/outbound/fetch'
import * as oidc from 'openid-client'
import { PromiseCache } from '../../platform/promise-cache.ts'
import { IssuerUnreachable } from '../id-tokens/verify.ts'
import { installationId, type Provider } from './provider.ts'

/** Returns the provider's metadata and client settings. Throws `IssuerUnreachable`. */
export type ClientOf = (provider: Provider) => Promise<oidc.Configuration>

/** HTTP clients: guarded for organizations' providers, unrestricted for the operator's. */
export type HttpClients = { guarded: OutboundFetch; operator: OutboundFetch }

/** TTL of a provider's metadata, in milliseconds. */
const ttlMs = 3_600_000
/** Maximum number of cached providers. */
const maxProviders = 1_000
/** Timeout per request to a provider, in seconds. */
const timeout = 10

export function createClientOf({ ways, clock }: { ways: HttpClients; clock: () => Date }): ClientOf {
  const cache = new PromiseCache<oidc.Configuration>({ max: maxProviders, ttlMs, nowMs: () => clock().getTime() })
  return (provider) => {
    const { id, version } = provider
    return cache.get([id, version], () => discover(provider, id === installationId ? ways.operator : ways.guarded))
  }
}

async function discover(
  { issuer, clientId, clientSecret }: Provider,
  fetch: OutboundFetch,
): Promise<oidc.Configuration> {
  // The schema allows an issuer without TLS only on this machine.
  const execute = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []
  try {
    const secret = clientSecret()
    const basic = oidc.ClientSecretBasic(secret)
    const options = { [oidc.customFetch]: fetch, execute: [...execute, oidc.enableNonRepudiationChecks], timeout }
    const found = await oidc.discovery(new URL(issuer), clientId, undefined, basic, options)
    expectAddresses(found.serverMetadata(), issuer)
    const { token_endpoint_auth_methods_supported: methods } = found.serverMetadata()
    if (methods === undefined || methods.includes('client_secret_basic')) return found
    const posted = new oidc.Configuration(found.serverMetadata(), clientId, undefined, oidc.ClientSecretPost(secret))
    posted[oidc.customFetch] = fetch
    posted.timeout = timeout
    for (const apply of options.execute) apply(posted)
    return posted
  } catch (cause) {
    throw new IssuerUnreachable(messageOf(cause), { cause })
  }
}

/**
 * Rejects endpoints with another URL scheme or without the issuer's TLS, because browsers and credentials are sent
 * there.
 */
function expectAddresses(metadata: oidc.ServerMetadata, issuer: string): void {
  const schemes = issuer.startsWith('http:') ? ['http:', 'https:'] : ['https:']
  const { authorization_endpoint, token_endpoint, end_session_endpoint } = metadata
  for (const [name, value] of Object.entries({ authorization_endpoint, token_endpoint, end_session_endpoint })) {
    if (value === undefined && name === 'end_session_endpoint') continue
    if (!schemes.includes(URL.parse(String(value))?.protocol ?? '')) {
      throw new Error(`Its ${name} is no address that begins with ${schemes.join(' or ')}.`)
    }
  }
}

/** Returns the library's message with its cause, which has the details. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
