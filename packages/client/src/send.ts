import type { UserFacingError } from '@sluice/contract'
import type { CallOptions, ClientOptions, Operation } from './client.ts'
import { ApiError } from './error.ts'
import { operations } from './operations.generated.ts'
import { isRateLimited, isTransient, type Retry, retrying } from './retry.ts'

export type LooseRequest = { params?: unknown; query?: unknown; body?: unknown }

const usualRetry: Retry = { forMs: 30_000 }

/** Sends a request and reads the whole response. */
export const sendRequest = (
  options: ClientOptions,
  operation: Operation,
  request: LooseRequest = {},
  how: CallOptions = {},
): Promise<unknown> =>
  safely(options, operation, how, async (key) => {
    const response = await send(options, operation, request, { ...how, ...key })
    const text = await response.text()
    if (!response.ok) throw rejectionIn(response, text)
    how.warned?.(warningsOf(response))
    return text === '' ? undefined : answerIn(response, text)
  })

/** Sends a request for a stream: server-sent events, or an export. */
export const openStream = (
  options: ClientOptions,
  operation: Operation,
  request: LooseRequest = {},
  how: CallOptions = {},
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> =>
  safely(options, operation, how, async () => {
    const response = await send(options, operation, request, how)
    if (response.ok && response.body) return response.body
    throw rejectionIn(response, await response.text())
  })

/** Retries a request as far as that cannot execute it twice. */
async function safely<T>(
  options: ClientOptions,
  operation: Operation,
  { retry = options.retry ?? usualRetry, idempotencyKey, signal }: CallOptions,
  ask: (key: { idempotencyKey?: string }) => Promise<T>,
): Promise<T> {
  const [method, , creates] = operations[operation] as readonly [string, string, creates?: true]
  const known = idempotencyKey === undefined ? {} : { idempotencyKey }
  if (retry === false) return ask(known)
  const key = creates ? { idempotencyKey: newKey(), ...known } : known
  const passes = method === 'GET' || creates ? isTransient : isRateLimited
  return retrying(() => ask(key), { ...retry, passes, ...(signal && { signal }) })
}

/** Generates an idempotency key. `crypto.randomUUID` is missing on pages without TLS. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

function send(
  { baseUrl = '', fetch: fetchIt = fetch, ...who }: ClientOptions,
  operation: Operation,
  request: LooseRequest,
  how: CallOptions,
): Promise<Response> {
  const [method, path] = operations[operation]
  return fetchIt(baseUrl + addressOf(path, request), {
    method,
    headers: headersOf(request, how, who),
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    ...(how.signal && { signal: how.signal }),
  })
}

function addressOf(path: string, { params, query }: LooseRequest): string {
  const values = (params ?? {}) as Record<string, string>
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one))
  }
  return search.size > 0 ? `${filled}?${search}` : filled
}

const headersOf = (
  { body }: LooseRequest,
  { idempotencyKey }: CallOptions,
  { token, userAgent }: Pick<ClientOptions, 'token' | 'userAgent'>,
) => ({
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
  ...(userAgent !== undefined && { 'user-agent': userAgent }),
  ...(body !== undefined && { 'content-type': 'application/json' }),
  ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
})

/** Returns the warnings in a response. A proxy may have truncated the header. */
function warningsOf({ headers }: Response): string[] {
  try {
    const warnings: unknown = JSON.parse(headers.get('sluice-warnings') ?? '[]')
    return Array.isArray(warnings) ? warnings.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** Parses a response body. The URL may belong to another program. */
function answerIn(response: Response, text: string): unknown {
  if (response.headers.get('content-type')?.startsWith('text/csv')) return text
  try {
    return JSON.parse(text)
  } catch {
    const message = `What answers at ${response.url} is not the service: it is not JSON.`
    throw new ApiError(response.status, { code: 'Sluice:Client:NO_ANSWER', message })
  }
}

const rejectionIn = (response: Response, text: string): ApiError =>
  new ApiError(response.status, errorOf(response, text), retryAfterOf(response))

/** Returns the error in a response body, or a generic one if a proxy responded. */
function errorOf({ status, statusText }: Response, text: string): UserFacingError {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && 'code' in body && 'message' in body) return body as UserFacingError
  } catch {
    // Not valid JSON, so not from the service.
  }
  return {
    code: 'Sluice:Client:NO_ANSWER',
    message: `The service could not be reached: ${status} ${statusText}`.trim(),
  }
}

function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined
}
