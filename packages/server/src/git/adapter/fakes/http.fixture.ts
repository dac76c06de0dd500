import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Request received by a fake host. */
export interface FakeRequest {
  method: string
  /** Path without the query. */
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
}

export interface FakeAnswer {
  status: number
  headers?: Record<string, string>
  body?: unknown
}

/** Fault to inject: the next `times` requests whose path contains `on` get this response, or none. */
export interface Fault {
  on: string
  answer: FakeAnswer | 'nothing'
  times?: number
}

/** Starts an HTTP server. `git` may handle requests before their bodies are read. */
export async function startFakeHost(
  answer: (request: FakeRequest) => FakeAnswer,
  git?: (request: IncomingMessage, response: ServerResponse) => boolean,
) {
  const faults: Required<Fault>[] = []
  const requests: FakeRequest[] = []
  let abandonedCount = 0
  const server = createServer(async (request, response) => {
    if (git?.(request, response)) return
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://fake')
    const { method = 'GET', headers } = request
    const content = await text(request)
    const asked = { method, path: pathname, query, headers, body: content === '' ? {} : JSON.parse(content) }
    requests.push(asked)
    const fault = faults.find(({ on, times }) => times > 0 && pathname.includes(on))
    if (fault) fault.times--
    const given = fault?.answer ?? answer(asked)
    if (given === 'nothing') {
      response.once('close', () => (abandonedCount += 1))
      return
    }
    response.writeHead(given.status, { 'content-type': 'application/json; charset=utf-8', ...given.headers })
    response.end(given.body === undefined ? '' : JSON.stringify(given.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** Requests received so far, oldest first. */
    requests,
    /** Number of requests that the client aborted before a response. */
    abandonedCount: () => abandonedCount,
    order: ({ times = 1, ...fault }: Fault) => void faults.push({ ...fault, times }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Matches a path against a pattern and returns its `:name` parameters, or undefined. */
export function match(pattern: string, { method, path }: FakeRequest): Record<string, string> | undefined {
  const [verb, shape = ''] = pattern.split(' ')
  if (verb !== method) return undefined
  const expression = shape.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')
  const found = new RegExp(`^${expression}$`).exec(path)
  if (!found) return undefined
  return Object.fromEntries(
    Object.entries(found.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
  )
}

/** Returns the requested page of a list and its position. */
export function pageOf<T>(items: T[], query: URLSearchParams) {
  const size = Math.min(Number(query.get('per_page') ?? 30), 100)
  const page = Number(query.get('page') ?? 1)
  const last = Math.max(1, Math.ceil(items.length / size))
  return { items: items.slice((page - 1) * size, page * size), page, last, size }
}
