import { isIP } from 'node:net'
import type { OutboundRequest, OutboundResponse, SendOutbound } from './send.ts'

export type RegistryRepository = {
  /** The registry's address, with its protocol. */
  endpoint: string
  repository: string
  username: string
  password: string
}

/** The registry gives no token for the credentials, or asks for them where they are not sent. */
export class RegistryDenied extends Error {
  override readonly name = 'RegistryDenied'
}

/**
 * Returns a way to ask a registry of images about one repository, with a token where the registry wants one: "Token
 * Authentication" of the distribution project (read 2026-11). Credentials and tokens go to the registry's origin alone;
 * an upload may be continued at another one, without them.
 */
export function askingRegistry(
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
    const address = answer.status === 401 ? tokenAddress(answer, { origin, repository, actions }) : undefined
    if (!address) return answer
    authorization = `Bearer ${await tokenFrom(send, address, basic, request.signal)}`
    return sendWith()
  }
}

const withHeader = (request: OutboundRequest, authorization: string): OutboundRequest => ({
  ...request,
  headers: { ...request.headers, authorization },
})

/** Where a registry gives tokens for a repository. Credentials are sent there: never without TLS where it has it. */
function tokenAddress(
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
 * Whether credentials of a registry may be sent to a host that it names: its own origin, or by TLS a host of the same
 * domain, as registry-1.docker.io and auth.docker.io, or registry.gitlab.com and gitlab.com.
 */
function isSameSite(registry: URL, other: URL): boolean {
  if (other.origin === registry.origin) return true
  if (registry.protocol !== 'https:' || other.protocol !== 'https:' || isAddress(registry.hostname)) return false
  if (other.hostname === registry.hostname) return true
  const domain = registry.hostname.split('.').slice(1).join('.')
  return domain.includes('.') && (other.hostname === domain || other.hostname.endsWith(`.${domain}`))
}

const isAddress = (hostname: string): boolean => hostname.startsWith('[') || isIP(hostname) > 0

async function tokenFrom(
  send: SendOutbound,
  url: string,
  authorization: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { status, body } = await send({ method: 'GET', url, headers: { authorization }, ...(signal && { signal }) })
  const { token, access_token: other } = status === 200 ? (parsedJson(body) as Record<string, unknown>) : {}
  const found = token ?? other
  if (typeof found === 'string' && /^[\x21-\x7e]+$/.test(found)) return found
  throw new RegistryDenied(`The registry gives no token for these credentials (${status}).`)
}

/** The value of a JSON text; an empty object where it is none. */
export function parsedJson(text: string): object {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
