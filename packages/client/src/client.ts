import type { routes } from '@sluice/contract'
import type { Static, TSchema } from 'typebox'
import { operations } from './operations.generated.ts'
import type { Retry } from './retry.ts'
import { type LooseRequest, sendRequest } from './send.ts'

type Routes = typeof routes

/** Name of an operation, equal to its `operationId`. */
export type Operation = keyof Routes

type Part<R, Name extends string> = R extends { readonly [K in Name]: infer S extends TSchema } ? Static<S> : undefined

/** Forbids parts that an operation does not have. */
type Given<Name extends string, Value> = [Value] extends [undefined] ? { [K in Name]?: never } : { [K in Name]: Value }
type Optional<Name extends string, Value> = [Value] extends [undefined]
  ? { [K in Name]?: never }
  : { [K in Name]?: Partial<Value> | undefined }

/** Makes the body optional if it can be empty. */
type Sent<Value> = [Value] extends [undefined]
  ? { body?: never }
  : Record<never, never> extends Value
    ? { body?: Value | undefined }
    : { body: Value }

/** Request of an operation. All query parameters are optional. */
export type RequestOf<O extends Operation> = Given<'params', Part<Routes[O], 'params'>> &
  Optional<'query', Part<Routes[O], 'query'>> &
  Sent<Part<Routes[O], 'body'>>

/** Response of an operation; undefined if it has no body. */
export type ReplyOf<O extends Operation> =
  | (Routes[O]['response'] extends readonly [number, infer S extends TSchema] ? Static<S> : never)
  | (Routes[O] extends { readonly otherStatuses: readonly [204] } ? undefined : never)

export type CallOptions = {
  signal?: AbortSignal
  /**
   * Idempotency key, with which the service returns the same response for 24 hours. By default, one is generated for
   * the retries of this call.
   */
  idempotencyKey?: string
  /** Overrides the retry setting of the client; false disables retries. */
  retry?: Retry | false
  /** Called with the warnings of an accepted request. */
  warned?: (warnings: string[]) => void
}

type Call<O extends Operation> =
  Record<never, never> extends RequestOf<O>
    ? (request?: RequestOf<O>, options?: CallOptions) => Promise<ReplyOf<O>>
    : (request: RequestOf<O>, options?: CallOptions) => Promise<ReplyOf<O>>

/** Client with one function per operation of the API. */
export type Client = { [O in Operation]: Call<O> }

export type ClientOptions = {
  /** URL of the service; by default the origin of the page. */
  baseUrl?: string
  /** API key; by default a browser's session cookie authenticates the caller. */
  token?: string
  /** User agent, such as `ci-bot/1.2`; browsers set their own. */
  userAgent?: string
  fetch?: typeof fetch
  /**
   * Retries of transient failures, by default for 30 s: reads and idempotent creations after a lost connection, 502,
   * 503 or 504; everything after 429, as late as the service asks.
   */
  retry?: Retry | false
}

/** Creates a client. @throws {ApiError} from every call that the service rejects; errors of `fetch` pass through */
export function createClient(options: ClientOptions = {}): Client {
  if (options.baseUrl) new URL(options.baseUrl) // reports an invalid URL now
  const entries = (Object.keys(operations) as Operation[]).map((operation) => [
    operation,
    (request?: LooseRequest, how?: CallOptions) => sendRequest(options, operation, request, how),
  ])
  return Object.fromEntries(entries) as Client
}
