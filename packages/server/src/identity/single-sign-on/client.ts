import type { OutboundFetch } from '@sluice/outbound/fetch'
import * as oidc from 'openid-client'
import { PromiseCache } from '../../platform/promise-cache.ts'
import { IssuerUnreachable } from '../id-tokens/verify.ts'
import { installationId, type Provider } from './provider.ts'

/** What the provider says of itself, and who we are to it. Throws `IssuerUnreachable`. */
export type ClientOf = (provider: Provider) => Promise<oidc.Configuration>

/** Ways out: that of organizations is guarded, the operator's goes where the operator says. */
export type WaysOut = { guarded: OutboundFetch; operator: OutboundFetch }

/** How long the metadata of a provider is reused. Milliseconds. */
const ttlMs = 3_600_000
/** Far above what an installation has. */
const maxProviders = 1_000
/** For one answer of a provider. Seconds. */
const timeout = 10

export function createClientOf({ ways, clock }: { ways: WaysOut; clock: () => Date }): ClientOf {
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
  // An issuer without TLS is on this machine, as its schema says.
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

/** Browsers are sent to these, and credentials: never to another kind of address, nor without the issuer's TLS. */
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

/** What the library says is often only that something failed; why, stands below it. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
