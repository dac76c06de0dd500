// biome-ignore-all lint/style/noRestrictedImports: the engine is the operator's, and mostly behind a socket of this machine.
import { once } from 'node:events'
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'

/** Where one of the engine's interfaces is: a URL, and the socket it is reached through where it listens on no port. */
export interface EngineAddress {
  url: string
  socketPath?: string
}

export interface Question {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  headers?: OutgoingHttpHeaders
  body?: string
  /** An engine that accepts and never answers must not hold anybody up. Milliseconds. */
  withinMs: number
}

export type Answer = { status: number; text: string }

/** Asks the engine once. With node's own client, since `fetch` reaches no sockets. */
export async function ask({ url, socketPath }: EngineAddress, path: string, question: Question): Promise<Answer> {
  const { method = 'GET', headers = {}, body, withinMs } = question
  const { request } = url.startsWith('https:') ? https : http
  const asked = request(`${url}${path}`, { method, headers, ...(socketPath === undefined ? {} : { socketPath }) })
  // No AbortSignal: one cannot be called off, so that each of them would fire, with an error made for it.
  const tooLate = () => asked.destroy(new Error(`The engine did not answer ${path} within ${withinMs} ms.`))
  const timer = setTimeout(tooLate, withinMs)
  try {
    asked.end(body)
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    asked.on('error', () => {}) // once an answer has begun, reading it fails as well and tells
    return { status: response.statusCode ?? 0, text: await text(response) }
  } finally {
    clearTimeout(timer)
  }
}

export const isOk = ({ status }: Answer): boolean => status >= 200 && status < 300
