import type { routes } from '@sluice/contract'
import type { Static, TSchema } from 'typebox'
import { operations } from './operations.generated.ts'
import type { Retry } from './retry.ts'
import { answerTo, type LooseRequest } from './send.ts'

type Routes = typeof routes

/** The name of an operation, which is its `operationId`. */
export type Operation = keyof Routes

type Part<R, Name extends string> = R extends { readonly [K in Name]: infer S extends TSchema } ? Static<S> : undefined

/** A part that an operation does not have cannot be sent. */
type Given<Name extends string, Value> = [Value] extends [undefined] ? { [K in Name]?: never } : { [K in Name]: Value }
type Optional<Name extends string, Value> = [Value] extends [undefined]
  ? { [K in Name]?: never }
  : { [K in Name]?: Partial<Value> | undefined }

/** A body that may be empty may be left out. */
type Sent<Value> = [Value] extends [undefined]
  ? { body?: never }
  : Record<never, never> extends Value
    ? { body?: Value | undefined }
    : { body: Value }

/** What an operation is asked with. Every query parameter may be left out. */
export type RequestOf<O extends Operation> = Given<'params', Part<Routes[O], 'params'>> &
  Optional<'query', Part<Routes[O], 'query'>> &
  Sent<Part<Routes[O], 'body'>>

/** What an operation answers; undefined where it answers without a body. */
export type ReplyOf<O extends Operation> =
  | (Routes[O]['reply'] extends readonly [number, infer S extends TSchema] ? Static<S> : never)
  | (Routes[O] extends { readonly alsoReplies: readonly [204] } ? undefined : never)

export type CallOptions = {
  signal?: AbortSignal
  /**
   * Makes a request that creates safe to repeat, also by who comes later: the same answer for 24 hours. Without it, one
   * is made up for the time in which the request is tried again.
   */
  idempotencyKey?: string
  /** Instead of the client's own. */
  retry?: Retry | false
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
  /**
   * Tries again what may pass, for 30 s unless it says otherwise: reading, and what creates under an idempotency key,
   * after a lost connection and 502, 503 and 504; everything after 429, as late as the service asks for.
   */
  retry?: Retry | false
}

/** @throws {ApiError} from every call, when the service refuses. What `fetch` throws goes through. */
export function createClient(options: ClientOptions = {}): Client {
  if (options.baseUrl) new URL(options.baseUrl) // what is no address is told now
  const entries = (Object.keys(operations) as Operation[]).map((operation) => [
    operation,
    (request?: LooseRequest, how?: CallOptions) => answerTo(options, operation, request, how),
  ])
  return Object.fromEntries(entries) as Client
}
