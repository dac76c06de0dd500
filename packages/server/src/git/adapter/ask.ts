import { messageBounds, parseBoundedJson } from '@sluice/contract/bounded-json'
import { OutboundError, type SendOutbound } from '@sluice/outbound/send'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { errorOf, GitHostPermanentError, GitHostTransientError } from './errors.ts'

export interface HostRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
  signal: AbortSignal
}

export interface HostResponse {
  status: number
  headers: Headers
  text: string
}

/** Sends an HTTP request to a Git host. */
export type Send = (request: HostRequest) => Promise<HostResponse>

/** Returns a sender whose requests pass the guard against private network addresses. */
export const sendGuarded =
  (sendOutbound: SendOutbound): Send =>
  async (request) => {
    try {
      const { status, headers, body } = await sendOutbound(request)
      return { status, headers: new Headers(headers), text: body }
    } catch (error) {
      // The operator must allow the address; a retry cannot succeed.
      if (error instanceof OutboundError && error.trouble === 'NOT_ALLOWED')
        throw new GitHostPermanentError(error.message)
      throw error
    }
  }

export interface GitHostRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH'
  url: string
  headers?: Record<string, string>
  body?: unknown
}

export interface GitHostResponse<T> {
  headers: Headers
  body: T
}

/** Calls a Git host's API and validates the response against the schema. */
export type Ask = <T extends TSchema>(schema: T, question: GitHostRequest) => Promise<GitHostResponse<Static<T>>>

/** Default request timeout, in milliseconds. A user waits for most requests. */
const defaultTimeoutMs = 10_000

export interface AskOptions {
  /** Name of the host in error messages. */
  host: string
  send: Send
  clock: () => Date
  timeoutMs?: number
}

export function createAsk({ host, send, clock, timeoutMs = defaultTimeoutMs }: AskOptions): Ask {
  return async (schema, { method = 'GET', url, headers = {}, body }) => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await send({
      method,
      url,
      headers: {
        accept: 'application/json',
        'user-agent': 'sluice',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...content,
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error) => {
      if (error instanceof GitHostPermanentError) throw error
      throw new GitHostTransientError(`${host} cannot be reached: ${reasonOf(error, timeoutMs)}.`)
    })
    if (answer.status >= 300) throw errorOf(host, answer, clock())
    const parsed = jsonIn(answer.text)
    if (Value.Check(schema, parsed)) return { headers: answer.headers, body: parsed }
    throw new GitHostTransientError(`${host} answered what its interface does not say; is its address right?`)
  }
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1_000} s`
  return error.cause instanceof Error ? error.cause.message : error.message
}

function jsonIn(text: string): unknown {
  try {
    return parseBoundedJson(text, messageBounds)
  } catch {
    return undefined
  }
}
