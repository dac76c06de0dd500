import { Readable } from 'node:stream'
import { answerRequest } from './answer-request.ts'
import type { SimulationContext } from './cloud-call.ts'

/** Request that AWS clients pass to their request handler. */
interface ClientRequest {
  method: string
  hostname: string
  path: string
  query: Record<string, string | string[] | null>
  headers: Record<string, string>
  body?: unknown
}

interface ClientResponse {
  statusCode: number
  headers: Record<string, string>
  body: Readable
}

/** Request handler of AWS clients, as far as they use it. */
export interface RequestHandler {
  metadata: { handlerProtocol: string }
  handle(request: ClientRequest): Promise<{ response: ClientResponse }>
  updateHttpClientConfig(): void
  httpHandlerConfigs(): object
  destroy(): void
}

/** Creates a request handler that responds within the process, with the code of the server. */
export function createRequestHandler(simulated: SimulationContext): RequestHandler {
  return {
    metadata: { handlerProtocol: 'in-process' },
    async handle(request) {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
      )
      const url = new URL(`http://${request.hostname}${request.path}${queryOf(request)}`)
      const { method } = request
      const answer = await answerRequest(simulated, { method, url, headers, body: await bodyOf(request.body) })
      if (!answer) throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
      const { status, body } = answer
      return { response: { statusCode: status, headers: answer.headers, body: Readable.from([Buffer.from(body)]) } }
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
    destroy() {},
  }
}

function queryOf({ query }: ClientRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => (one === null ? encode(name) : `${encode(name)}=${encode(one)}`)),
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

async function bodyOf(body: unknown): Promise<Buffer> {
  if (body === undefined || body === null) return Buffer.alloc(0)
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const chunks: Buffer[] = []
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
