// biome-ignore-all lint/style/noRestrictedImports: the operator configures the API's URL; redirects are not followed.
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunnerPath } from '@sluice/contract/runner-protocol'

/** The API is unreachable or fails. A retry may succeed. */
export class ApiUnavailable extends Error {
  override readonly name = 'ApiUnavailable'
  /** Status of the response; undefined if there was none. */
  readonly status: number | undefined

  constructor(message: string, { status, ...options }: ErrorOptions & { status?: number } = {}) {
    super(message, options)
    this.status = status
  }
}

/** The API rejects the call. A retry would be rejected too. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** Status of the response; 0 if there was none. */
  readonly status: number
  /** The body of the response, in the format of every API error. */
  readonly body: Record<string, unknown>

  constructor(status: number, body: Record<string, unknown>) {
    super(`${status} ${body.message ?? ''}`)
    this.status = status
    this.body = body
  }
}

export type CallOptions = {
  signal?: AbortSignal | undefined
  /** Maximum time to wait for the response. */
  timeoutMs?: number
}

/** Calls a path of the API with a token. A string body is sent as it is and must be JSON. */
export type Call = <Answer>(
  path: RunnerPath,
  token: string,
  body: object | string,
  options?: CallOptions,
) => Promise<Answer>

/** Longer than any transaction of the API. Long polls set a longer timeout. */
const defaultTimeoutMs = 60_000
/** Enough for the largest report on a slow connection. Ends a call whose response arrives byte by byte. */
const maxCallMs = 5 * 60_000

/** Opens a client for the API at a URL. Keeps connections alive, because a step makes several calls. */
export function connectApi(url: string): { call: Call; close(): void } {
  const base = url.replace(/\/+$/, '')
  const isSecure = base.startsWith('https:')
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const begin = isSecure ? httpsRequest : httpRequest

  async function send(
    path: string,
    token: string,
    body: string,
    { signal, timeoutMs = defaultTimeoutMs }: CallOptions,
  ) {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    return new Promise<{ status: number; answer: string }>((resolve, reject) => {
      const request = begin(base + path, {
        method: 'POST',
        agent,
        headers,
        timeout: timeoutMs,
        ...(signal && { signal }),
      })
      const endAfter = (ms: number) => request.destroy(new Error(`no answer within ${ms} ms`))
      const deadline = setTimeout(endAfter, maxCallMs, maxCallMs)
      request.once('close', () => clearTimeout(deadline))
      request.once('timeout', () => endAfter(timeoutMs))
      request.once('error', reject)
      request.once('response', (response) => {
        text(response).then((answer) => resolve({ status: response.statusCode ?? 0, answer }), reject)
      })
      request.end(body)
    })
  }

  return {
    async call<Answer>(path: RunnerPath, token: string, body: object | string, options: CallOptions = {}) {
      const { status, answer } = await send(
        path,
        token,
        typeof body === 'string' ? body : JSON.stringify(body),
        options,
      ).catch((cause: Error) => {
        options.signal?.throwIfAborted()
        throw new ApiUnavailable(`${base} cannot be reached: ${cause.message}`, { cause })
      })
      if (status >= 500 || status === 429) throw new ApiUnavailable(`${base}${path} answers ${status}`, { status })
      const read = parseAnswer(status, answer)
      if (status >= 200 && status < 300) return read as Answer
      throw new ApiError(status, read)
    },
    close: () => agent.destroy(),
  }
}

/** Parses a response. It may not be JSON, because a proxy in between can return a page. */
function parseAnswer(status: number, answer: string): Record<string, unknown> {
  if (answer === '') return {}
  try {
    const value: unknown = JSON.parse(answer)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // neither JSON nor an object
  }
  throw new ApiUnavailable('the server that responded is not Sluice', { status })
}

/** Delay before a call is retried. */
const retryDelayMs = 1_000

/** Retries a call until the API answers or `signal` is aborted. Calls `onUnavailable` after each failure. */
export async function retryUntilAnswered<T>(
  call: () => Promise<T>,
  signal: AbortSignal,
  onUnavailable: (error: ApiUnavailable) => void,
): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ApiUnavailable)) throw error
      onUnavailable(error)
      // Jitter, so that runners do not retry at the same moment.
      await sleep(retryDelayMs * (0.5 + Math.random()), undefined, { signal })
    }
  }
}
