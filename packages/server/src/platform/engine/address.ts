// biome-ignore-all lint/style/noRestrictedImports: the engine is the operator's, and mostly behind a socket of this machine.
import { once } from 'node:events'
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'

/** Address of an engine interface: a URL, and its socket if it listens on no port. */
export interface EngineAddress {
  url: string
  socketPath?: string
}

export interface EngineRequest {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  headers?: OutgoingHttpHeaders
  body?: string
  /** Timeout in milliseconds, because an engine may accept a request and never respond. */
  withinMs: number
}

export type EngineResponse = { status: number; text: string }

/** Sends one request to the engine. Uses Node's client, because `fetch` does not support sockets. */
export async function ask(
  { url, socketPath }: EngineAddress,
  path: string,
  question: EngineRequest,
): Promise<EngineResponse> {
  const { method = 'GET', headers = {}, body, withinMs } = question
  const { request } = url.startsWith('https:') ? https : http
  const asked = request(`${url}${path}`, { method, headers, ...(socketPath === undefined ? {} : { socketPath }) })
  // Not an AbortSignal, which cannot be cancelled: each would fire and create an error.
  const tooLate = () => asked.destroy(new Error(`The engine did not answer ${path} within ${withinMs} ms.`))
  const timer = setTimeout(tooLate, withinMs)
  try {
    asked.end(body)
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    asked.on('error', () => {}) // after the response has started, reading it fails as well
    return { status: response.statusCode ?? 0, text: await text(response) }
  } finally {
    clearTimeout(timer)
  }
}

export const isOk = ({ status }: EngineResponse): boolean => status >= 200 && status < 300
