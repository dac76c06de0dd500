import type { routes, UserFacingError } from '@sluice/contract'
import type { Static, TSchema } from 'typebox'
import { ApiError } from './error.ts'
import { operations } from './operations.generated.ts'

type Routes = typeof routes

/** The name of an operation, which is its `operationId`. */
export type Operation = keyof Routes

type Part<R, Name extends string> = R extends { readonly [K in Name]: infer S extends TSchema } ? Static<S> : undefined

/** A part that an operation does not have cannot be sent. */
type Given<Name extends string, Value> = [Value] extends [undefined] ? { [K in Name]?: never } : { [K in Name]: Value }
type Optional<Name extends string, Value> = [Value] extends [undefined]
  ? { [K in Name]?: never }
  : { [K in Name]?: Partial<Value> | undefined }

/** What an operation is asked with. Every query parameter may be left out. */
export type RequestOf<O extends Operation> = Given<'params', Part<Routes[O], 'params'>> &
  Optional<'query', Part<Routes[O], 'query'>> &
  Given<'body', Part<Routes[O], 'body'>>

/** What an operation answers; undefined where it answers without a body. */
export type ReplyOf<O extends Operation> = Routes[O]['reply'] extends readonly [number, infer S extends TSchema]
  ? Static<S>
  : never

export type CallOptions = {
  signal?: AbortSignal
  /** Makes a request that creates safe to repeat. */
  idempotencyKey?: string
  /** Is told of what was accepted and is not as it may be meant. */
  warned?: (warnings: string[]) => void
}

type Call<O extends Operation> =
  Record<never, never> extends RequestOf<O>
    ? (request?: RequestOf<O>, options?: CallOptions) => Promise<ReplyOf<O>>
    : (request: RequestOf<O>, options?: CallOptions) => Promise<ReplyOf<O>>

/** One function for each operation of the interface. */
export type Client = { [O in Operation]: Call<O> }

export type ClientOptions = {
  /** Where the service is; without it, where the page came from. */
  baseUrl?: string
  /** Without it, a browser's session cookie says who calls. */
  token?: string
  /** What calls, such as `ci-bot/1.2`; browsers have their own. */
  userAgent?: string
  fetch?: typeof fetch
}

/** @throws {ApiError} from every call, when the service refuses. What `fetch` throws goes through. */
export function createClient({ baseUrl = '', fetch: send = fetch, ...who }: ClientOptions = {}): Client {
  const call = async (operation: Operation, request: LooseRequest = {}, options: CallOptions = {}) => {
    const [method, path] = operations[operation]
    const response = await send(baseUrl + addressOf(path, request), {
      method,
      headers: headersOf(request, options, who),
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      ...(options.signal && { signal: options.signal }),
    })
    const text = await response.text()
    if (response.ok) options.warned?.(warningsOf(response))
    if (response.ok) return text === '' ? undefined : answerIn(response, text)
    throw new ApiError(response.status, errorOf(response, text), retryAfterOf(response))
  }
  const entries = (Object.keys(operations) as Operation[]).map((operation) => [
    operation,
    (request?: LooseRequest, options?: CallOptions) => call(operation, request, options),
  ])
  return Object.fromEntries(entries) as Client
}

type LooseRequest = { params?: unknown; query?: unknown; body?: unknown }

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

/** Something in between may have cut them. */
function warningsOf({ headers }: Response): string[] {
  try {
    const warnings: unknown = JSON.parse(headers.get('sluice-warnings') ?? '[]')
    return Array.isArray(warnings) ? warnings.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** What is at the address may be something else altogether. */
function answerIn(response: Response, text: string): unknown {
  if (response.headers.get('content-type')?.startsWith('text/csv')) return text
  try {
    return JSON.parse(text)
  } catch {
    const message = `What answers at ${response.url} is not the service: it is not JSON.`
    throw new ApiError(response.status, { code: 'Sluice:Client:NO_ANSWER', message })
  }
}

/** Something in between may answer in its own words. */
function errorOf({ status, statusText }: Response, text: string): UserFacingError {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && 'code' in body && 'message' in body) return body as UserFacingError
  } catch {
    // Not JSON, so not ours.
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
