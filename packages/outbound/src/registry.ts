import { isIP } from 'node:net'
import type { OutboundRequest, OutboundResponse, SendOutbound } from './send.ts'

export type RegistryRepository = {
  /** URL of the image registry. */
  endpoint: string
  repository: string
  username: string
  password: string
}

/** Error for a registry that issues no token for the credentials, or wants them sent to another site. */
export class RegistryDenied extends Error {
  override readonly name = 'RegistryDenied'
}

/**
 * Creates a client for one repository of an image registry. Requests a token if the registry requires one: "Token
 * Authentication" of the distribution project (read 2026-11). Credentials and tokens are sent to the registry's origin
 * only. An upload can continue at another origin, without them.
 */
export function createRegistryClient(
  send: SendOutbound,
  { endpoint, repository, username, password }: RegistryRepository,
  actions: 'pull' | 'pull,push',
): SendOutbound {
  const { origin } = new URL(endpoint)
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  let authorization = basic
  return async (request) => {
    const isOwn = URL.parse(request.url)?.origin === origin
    if (!isOwn) return send(request)
    const sendWith = () => send(withHeader(request, authorization))
    const answer = await sendWith()
    const address = answer.status === 401 ? findTokenUrl(answer, { origin, repository, actions }) : undefined
    if (!address) return answer
    authorization = `Bearer ${await requestToken(send, address, basic, request.signal)}`
    return sendWith()
  }
}

const withHeader = (request: OutboundRequest, authorization: string): OutboundRequest => ({
  ...request,
  headers: { ...request.headers, authorization },
})

/** Returns the URL of the token service. Credentials are sent there: never without TLS if the registry has it. */
function findTokenUrl(
  { headers }: OutboundResponse,
  { origin, repository, actions }: { origin: string; repository: string; actions: string },
): string | undefined {
  const challenge = headers['www-authenticate'] ?? ''
  if (!/^bearer /i.test(challenge)) return undefined
  const parameter = (name: string) => new RegExp(`${name}="([^"]*)"`, 'i').exec(challenge)?.[1]
  const url = URL.parse(parameter('realm') ?? '')
  if (!url) return undefined
  if (!isSameSite(new URL(origin), url)) {
    throw new RegistryDenied(`${origin} asks for credentials to be sent to ${url.origin}, which is another site.`)
  }
  const service = parameter('service')
  if (service !== undefined) url.searchParams.set('service', service)
  url.searchParams.set('scope', `repository:${repository}:${actions}`)
  return url.href
}

/**
 * Returns whether credentials may be sent to a host that the registry names: its own origin, or with TLS a host of the
 * same domain, such as registry-1.docker.io and auth.docker.io, or registry.gitlab.com and gitlab.com.
 */
function isSameSite(registry: URL, other: URL): boolean {
  if (other.origin === registry.origin) return true
  if (registry.protocol !== 'https:' || other.protocol !== 'https:' || isAddress(registry.hostname)) return false
  if (other.hostname === registry.hostname) return true
  const domain = registry.hostname.split('.').slice(1).join('.')
  return domain.includes('.') && (other.hostname === domain || other.hostname.endsWith(`.${domain}`))
}

const isAddress = (hostname: string): boolean => hostname.startsWith('[') || isIP(hostname) > 0

async function requestToken(
  send: SendOutbound,
  url: string,
  authorization: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { status, body } = await send({ method: 'GET', url, headers: { authorization }, ...(signal && { signal }) })
  const { token, access_token: other } = status === 200 ? (parseJsonObject(body) as Record<string, unknown>) : {}
  const found = token ?? other
  if (typeof found === 'string' && /^[\x21-\x7e]+$/.test(found)) return found
  throw new RegistryDenied(`The registry gives no token for these credentials (${status}).`)
}

/** Parses JSON; returns an empty object if it is invalid. */
export function parseJsonObject(text: string): object {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
