// biome-ignore-all lint/style/noRestrictedImports: this is the guarded client.
import { isUtf8 } from 'node:buffer'
import { lookup } from 'node:dns'
import { createReadStream } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { type OutboundRules, outboundRules } from './addresses.ts'

/** A request to a server of somebody else. */
export type OutboundRequest = {
  method: string
  url: string
  headers?: Record<string, string>
  body?: OutboundBody
  signal?: AbortSignal
}

/** A text, or a file of a known size. */
export type OutboundBody = string | { file: string; sizeBytes: number }

export type OutboundResponse = {
  status: number
  /** By lower-case name; what came several times is joined by commas. */
  headers: Record<string, string>
  /** Bytes that are no UTF-8 are replaced: see `isUtf8`. */
  body: string
  isUtf8: boolean
}

/** Sends a request and returns whatever the server answers. */
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
  /** What was answered before the body, where that is `TOO_LARGE`: the server has done what it was asked to do. */
  readonly answer: OutboundHead | undefined

  constructor(trouble: OutboundTrouble, message: string, { answer, ...options }: OutboundErrorOptions = {}) {
    super(message, options)
    this.trouble = trouble
    this.answer = answer
  }
}

export type OutboundHead = Pick<OutboundResponse, 'status' | 'headers'>
type OutboundErrorOptions = ErrorOptions & { answer?: OutboundHead }

export type OutboundLimits = {
  /** From the first to the last byte of each request. Milliseconds. */
  timeoutMs?: number
  /** Of the body of an answer. */
  maxBytes?: number
  /** Redirections that are followed; the next one is returned as the answer. */
  maxRedirects?: number
}

const refusedHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'accept-encoding']

/**
 * The one way to servers of others, for all programs of Sluice. Requests must not reach what only this machine can
 * reach, such as its own services, its network and the cloud's metadata. Addresses are checked where the connection is
 * made, so that a name cannot lead elsewhere the second time it is resolved. What stays on another way is listed in
 * SECURITY.md.
 */
export function createOutbound(
  allow: readonly string[] = [],
  { timeoutMs = 30_000, maxBytes = 1024 * 1024, maxRedirects = 0 }: OutboundLimits = {},
): SendOutbound {
  const rules = outboundRules(allow)
  return async (request) => {
    let next = request
    for (let redirects = 0; ; redirects += 1) {
      const answer = await sendOnce(next, { rules, timeoutMs, maxBytes })
      const following = redirects < maxRedirects ? redirected(next, answer) : undefined
      if (!following) return answer
      next = following
    }
  }
}

type Bounds = { rules: OutboundRules; timeoutMs: number; maxBytes: number }

async function sendOnce(request: OutboundRequest, { rules, timeoutMs, maxBytes }: Bounds): Promise<OutboundResponse> {
  const { method, headers = {}, body, signal } = request
  const url = urlOf(request.url)
  refuseHeaders(headers)
  refuseAddress(rules, url)
  const timeout = AbortSignal.timeout(timeoutMs)
  const ending = signal ? AbortSignal.any([signal, timeout]) : timeout
  try {
    const options = { method, headers: { 'user-agent': 'sluice', ...headers }, signal: ending }
    // A connection of its own: one that is kept open was allowed for another request.
    return await exchange(url, { ...options, agent: false, lookup: guardedLookup(rules, url) }, body, maxBytes)
  } catch (error) {
    if (error instanceof OutboundError) throw error
    signal?.throwIfAborted()
    if (timeout.aborted) throw new OutboundError('TIMED_OUT', `${url.host} did not answer within ${timeoutMs} ms.`)
    const reason = error instanceof Error ? error.message : String(error)
    throw new OutboundError('UNREACHABLE', `${url.host} cannot be reached: ${reason}`, { cause: error })
  }
}

/**
 * The request that a redirection asks for; undefined where it is not followed. Another origin gets no header but
 * `accept`, since any other may be a credential, and no body; TLS is not left.
 */
function redirected(request: OutboundRequest, { status, headers }: OutboundResponse): OutboundRequest | undefined {
  const { method, url: from, headers: sent = {}, body, signal } = request
  const isReading = method === 'GET' || method === 'HEAD'
  if (!(isReading ? [301, 302, 303, 307, 308] : [307, 308]).includes(status)) return undefined
  const url = URL.parse(headers.location ?? '', from)
  if (!url || (url.protocol === 'http:' && from.startsWith('https:'))) return undefined
  if (url.origin === new URL(from).origin) return { ...request, url: url.href }
  if (!isReading || body !== undefined) return undefined
  const kept = Object.entries(sent).filter(([name]) => name.toLowerCase() === 'accept')
  return { method, url: url.href, headers: Object.fromEntries(kept), ...(signal && { signal }) }
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
function refuseAddress(rules: OutboundRules, url: URL): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) > 0 && !rules.allowsHost(url) && !rules.allowsAddress(host)) throw notAllowed(host)
}

const guardedLookup =
  (rules: OutboundRules, url: URL): LookupFunction =>
  (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      const isAllowed = rules.allowsHost(url) || addresses.every(({ address }) => rules.allowsAddress(address))
      if (!isAllowed) return done(notAllowed(host), '')
      if (options.all) return done(null, addresses)
      const [first] = addresses
      done(first ? null : new Error(`${host} has no address`), first?.address ?? '', first?.family)
    })
  }

function exchange(
  url: URL,
  options: http.RequestOptions,
  body: OutboundBody | undefined,
  maxBytes: number,
): Promise<OutboundResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>()
  const request = (url.protocol === 'https:' ? https : http).request(url, options, (response) => {
    const head = { status: response.statusCode ?? 0, headers: headersOf(response) }
    const chunks: Buffer[] = []
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes <= maxBytes) return
      const message = `${url.host} answered with more than ${maxBytes} bytes.`
      reject(new OutboundError('TOO_LARGE', message, { answer: head }))
      request.destroy()
    })
    response.on('error', reject)
    response.on('end', () => {
      const body = Buffer.concat(chunks)
      resolve({ ...head, body: body.toString('utf8'), isUtf8: isUtf8(body) })
    })
  })
  request.on('error', reject)
  if (typeof body !== 'object') request.end(body)
  else {
    request.setHeader('content-length', body.sizeBytes)
    pipeline(createReadStream(body.file), request).catch(reject)
  }
  return promise
}

const headersOf = ({ headers }: http.IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
