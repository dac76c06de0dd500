// biome-ignore-all lint/style/noRestrictedImports: this is the guarded client.
import { isUtf8 } from 'node:buffer'
import { lookup } from 'node:dns'
import { createReadStream } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { type OutboundRules, parseOutboundRules } from './addresses.ts'

/** Request to an external server. */
export type OutboundRequest = {
  method: string
  url: string
  headers?: Record<string, string>
  body?: OutboundBody
  signal?: AbortSignal
}

/** Text, or a file of known size. */
export type OutboundBody = string | { file: string; sizeBytes: number }

export type OutboundResponse = {
  status: number
  /** Headers by lower-case name. Repeated headers are joined with commas. */
  headers: Record<string, string>
  /** Body decoded as UTF-8. Invalid bytes are replaced: see `isUtf8`. */
  body: string
  isUtf8: boolean
}

/** Sends a request and returns the response, whatever its status. */
export type SendOutbound = (request: OutboundRequest) => Promise<OutboundResponse>

/** Reason why there is no response. */
export type OutboundErrorReason =
  | 'URL_INVALID'
  | 'HEADER_INVALID'
  | 'NOT_ALLOWED'
  | 'UNREACHABLE'
  | 'TIMED_OUT'
  | 'TOO_LARGE'

export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly trouble: OutboundErrorReason
  /** Status and headers of a response that is `TOO_LARGE`. The server has executed the request. */
  readonly answer: OutboundHead | undefined

  constructor(trouble: OutboundErrorReason, message: string, { answer, ...options }: OutboundErrorOptions = {}) {
    super(message, options)
    this.trouble = trouble
    this.answer = answer
  }
}

export type OutboundHead = Pick<OutboundResponse, 'status' | 'headers'>
type OutboundErrorOptions = ErrorOptions & { answer?: OutboundHead }

export type OutboundLimits = {
  /** Timeout of a request, including the body of the response. */
  timeoutMs?: number
  /** Maximum size of a response body. */
  maxBytes?: number
  /** Maximum number of redirects to follow. The next one is returned as the response. */
  maxRedirects?: number
}

const reservedHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'accept-encoding']

/**
 * Creates the client for requests to external servers, which all programs of Sluice use. It blocks addresses that only
 * this machine can reach, such as its own services, its network and metadata services. Addresses are checked when the
 * connection is opened, so that a second DNS lookup cannot return others. SECURITY.md lists the exceptions.
 */
export function createOutbound(
  allow: readonly string[] = [],
  { timeoutMs = 30_000, maxBytes = 1024 * 1024, maxRedirects = 0 }: OutboundLimits = {},
): SendOutbound {
  const rules = parseOutboundRules(allow)
  return async (request) => {
    let next = request
    for (let redirects = 0; ; redirects += 1) {
      const answer = await sendOnce(next, { rules, timeoutMs, maxBytes })
      const following = redirects < maxRedirects ? createRedirectRequest(next, answer) : undefined
      if (!following) return answer
      next = following
    }
  }
}

type Bounds = { rules: OutboundRules; timeoutMs: number; maxBytes: number }

async function sendOnce(request: OutboundRequest, { rules, timeoutMs, maxBytes }: Bounds): Promise<OutboundResponse> {
  const { method, headers = {}, body, signal } = request
  const url = parseUrl(request.url)
  checkHeaders(headers)
  checkAddress(rules, url)
  const timeout = AbortSignal.timeout(timeoutMs)
  const ending = signal ? AbortSignal.any([signal, timeout]) : timeout
  try {
    const options = { method, headers: { 'user-agent': 'sluice', ...headers }, signal: ending }
    // Opens a new connection, because a pooled one was validated for a different request.
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
 * Returns the request that follows a redirect, or undefined. Another origin gets no body and only the `accept` header,
 * because others may contain credentials. A redirect from HTTPS to HTTP is not followed.
 */
function createRedirectRequest(
  request: OutboundRequest,
  { status, headers }: OutboundResponse,
): OutboundRequest | undefined {
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

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new OutboundError('URL_INVALID', 'The url must begin with http:// or https:// and be complete.')
}

function checkHeaders(headers: Record<string, string>): void {
  const refused = Object.keys(headers).find((name) => reservedHeaders.includes(name.toLowerCase()))
  if (refused !== undefined) throw new OutboundError('HEADER_INVALID', `The header ${refused} is not for you to set.`)
}

const createNotAllowedError = (host: string) =>
  new OutboundError(
    'NOT_ALLOWED',
    `${host} is not on the public internet. Operators can allow such requests with SLUICE_OUTBOUND_ALLOW.`,
  )

/** Checks an address in the URL itself, for which no lookup takes place. */
function checkAddress(rules: OutboundRules, url: URL): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) > 0 && !rules.allowsHost(url) && !rules.allowsAddress(host)) throw createNotAllowedError(host)
}

const guardedLookup =
  (rules: OutboundRules, url: URL): LookupFunction =>
  (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      const isAllowed = rules.allowsHost(url) || addresses.every(({ address }) => rules.allowsAddress(address))
      if (!isAllowed) return done(createNotAllowedError(host), '')
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
    const head = { status: response.statusCode ?? 0, headers: readHeaders(response) }
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

const readHeaders = ({ headers }: http.IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
