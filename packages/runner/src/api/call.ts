// biome-ignore-all lint/style/noRestrictedImports: the API is the one that the operator names; redirections are not followed.
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunnerPath } from '@sluice/contract/runner-protocol'

/** The API cannot be reached, or fails: the same call may do a moment later. */
export class ApiAway extends Error {
  override readonly name = 'ApiAway'
  /** Of its answer; undefined where there was none. */
  readonly status: number | undefined

  constructor(message: string, { status, ...options }: ErrorOptions & { status?: number } = {}) {
    super(message, options)
    this.status = status
  }
}

/** The API rejects the call: the same call would be rejected again. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal'
  /** 0 where there was no answer. */
  readonly status: number
  /** What it says, in the form of every error. */
  readonly body: Record<string, unknown>

  constructor(status: number, body: Record<string, unknown>) {
    super(`${status} ${body.message ?? ''}`)
    this.status = status
    this.body = body
  }
}

export type CallOptions = {
  signal?: AbortSignal | undefined
  /** How long to wait for the answer. Milliseconds. */
  withinMs?: number
}

/** Calls a path of the API with a token. A body that is a text is JSON already. */
export type Call = <Answer>(
  path: RunnerPath,
  token: string,
  body: object | string,
  options?: CallOptions,
) => Promise<Answer>

/** Longer than any transaction of the API takes; a long poll is given more. Milliseconds. */
const usualWithinMs = 60_000
/** The largest report, on a slow connection. Ends a call whose answer comes byte by byte. Milliseconds. */
const maxCallMs = 5 * 60_000

/** Connections to the API at a URL. They are kept, since a step takes several calls. */
export function connectApi(url: string): { call: Call; close(): void } {
  const base = url.replace(/\/+$/, '')
  const isSecure = base.startsWith('https:')
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const begin = isSecure ? httpsRequest : httpRequest

  async function send(path: string, token: string, body: string, { signal, withinMs = usualWithinMs }: CallOptions) {
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
        timeout: withinMs,
        ...(signal && { signal }),
      })
      const endAfter = (ms: number) => request.destroy(new Error(`no answer within ${ms} ms`))
      const deadline = setTimeout(endAfter, maxCallMs, maxCallMs)
      request.once('close', () => clearTimeout(deadline))
      request.once('timeout', () => endAfter(withinMs))
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
        throw new ApiAway(`${base} cannot be reached: ${cause.message}`, { cause })
      })
      if (status >= 500 || status === 429) throw new ApiAway(`${base}${path} answers ${status}`, { status })
      const read = parsed(status, answer)
      if (status >= 200 && status < 300) return read as Answer
      throw new ApiRefusal(status, read)
    },
    close: () => agent.destroy(),
  }
}

/** A proxy between may answer with a page. */
function parsed(status: number, answer: string): Record<string, unknown> {
  if (answer === '') return {}
  try {
    const value: unknown = JSON.parse(answer)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // no JSON, and no object either
  }
  throw new ApiAway('what answers is no API of Sluice', { status })
}

/** Before a call is made again to an API that was away. Milliseconds. */
const againMs = 1_000

/** Makes a call until it is heard, or `signal` is aborted. `onAway` hears of each time that it was not. */
export async function untilHeard<T>(
  call: () => Promise<T>,
  signal: AbortSignal,
  onAway: (error: ApiAway) => void,
): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ApiAway)) throw error
      onAway(error)
      // Not all at once when it is back.
      await sleep(againMs * (0.5 + Math.random()), undefined, { signal })
    }
  }
}
