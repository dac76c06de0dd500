import { lookup } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { type OutboundRules, outboundRules } from './addresses.ts'

/** A request to somebody else's server, as a user wrote it. */
export type OutboundRequest = {
  method: string
  url: string
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
}

export type OutboundResponse = {
  status: number
  /** By lower-case name; what came several times is joined by commas. */
  headers: Record<string, string>
  body: string
}

/** Sends a request and returns whatever the server answers; a redirection is an answer and is not followed. */
export type SendOutbound = (request: OutboundRequest) => Promise<OutboundResponse>

/** Why there is no answer. */
export type OutboundTrouble =
  | 'URL_INVALID'
  | 'HEADER_INVALID'
  | 'NOT_ALLOWED'
  | 'UNREACHABLE'
  | 'TIMED_OUT'
  | 'TOO_LARGE'

export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly trouble: OutboundTrouble

  constructor(trouble: OutboundTrouble, message: string, options?: ErrorOptions) {
    super(message, options)
    this.trouble = trouble
  }
}

export type OutboundLimits = {
  /** From the first to the last byte. Milliseconds. */
  timeoutMs?: number
  /** Of the body of an answer. */
  maxBytes?: number
}

const refusedHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'accept-encoding']

/**
 * Requests of tenants go out through here and nowhere else: they must not reach what only this machine can reach, such
 * as its own services, its network and the cloud's metadata. Addresses are looked at where the connection is made, so
 * that a name cannot lead elsewhere the second time it is asked for.
 */
export function createOutbound(
  allow: readonly string[] = [],
  { timeoutMs = 30_000, maxBytes = 1024 * 1024 }: OutboundLimits = {},
): SendOutbound {
  const rules = outboundRules(allow)
  return async ({ method, url: text, headers = {}, body, signal }) => {
    const url = urlOf(text)
    refuseHeaders(headers)
    refuseAddress(rules, url)
    const timeout = AbortSignal.timeout(timeoutMs)
    const ending = signal ? AbortSignal.any([signal, timeout]) : timeout
    try {
      const options = { method, headers: { 'user-agent': 'sluice', ...headers }, signal: ending }
      // A connection of its own: one that is kept open was allowed for another request.
      return await exchange(url, { ...options, agent: false, lookup: guardedLookup(rules) }, body, maxBytes)
    } catch (error) {
      if (error instanceof OutboundError) throw error
      signal?.throwIfAborted()
      if (timeout.aborted) throw new OutboundError('TIMED_OUT', `${url.host} did not answer within ${timeoutMs} ms.`)
      const reason = error instanceof Error ? error.message : String(error)
      throw new OutboundError('UNREACHABLE', `${url.host} cannot be reached: ${reason}`, { cause: error })
    }
  }
}

function urlOf(text: string): URL {
  const url = URL.parse(text)
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new OutboundError('URL_INVALID', 'The url must begin with http:// or https:// and be complete.')
}

function refuseHeaders(headers: Record<string, string>): void {
  const refused = Object.keys(headers).find((name) => refusedHeaders.includes(name.toLowerCase()))
  if (refused !== undefined) throw new OutboundError('HEADER_INVALID', `The header ${refused} is not for you to set.`)
}

const notAllowed = (host: string) =>
  new OutboundError(
    'NOT_ALLOWED',
    `${host} is not on the public internet. Operators can let requests go there with SLUICE_OUTBOUND_ALLOW.`,
  )

/** Addresses in the URL itself are never looked up. */
function refuseAddress(rules: OutboundRules, { hostname }: URL): void {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) > 0 && !rules.allowsAddress(host)) throw notAllowed(host)
}

const guardedLookup =
  (rules: OutboundRules): LookupFunction =>
  (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      const isAllowed = rules.allowsHost(host) || addresses.every(({ address }) => rules.allowsAddress(address))
      if (!isAllowed) return done(notAllowed(host), '')
      if (options.all) return done(null, addresses)
      const [first] = addresses
      done(first ? null : new Error(`${host} has no address`), first?.address ?? '', first?.family)
    })
  }

function exchange(
  url: URL,
  options: http.RequestOptions,
  body: string | undefined,
  maxBytes: number,
): Promise<OutboundResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>()
  const request = (url.protocol === 'https:' ? https : http).request(url, options, (response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes <= maxBytes) return
      reject(new OutboundError('TOO_LARGE', `${url.host} answered with more than ${maxBytes} bytes.`))
      request.destroy()
    })
    response.on('error', reject)
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: headersOf(response),
        body: Buffer.concat(chunks).toString('utf8'),
      }),
    )
  })
  request.on('error', reject)
  request.end(body)
  return promise
}

const headersOf = ({ headers }: http.IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
