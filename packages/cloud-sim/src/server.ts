import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { answerRequest, jsonAnswer } from './answer-request.ts'
import type { SimulationContext } from './cloud-call.ts'
import { CloudError } from './errors.ts'
import { jsonError } from './wire/json.ts'
import type { HttpResponse } from './wire/protocol.ts'

/** Maximum body size in bytes. Parts of uploads have at least 5 MiB; clients use 8 to 16. */
const maxBodyLength = 64 * 1024 * 1024

/** Creates the HTTP server for all services and the control API. */
export function createSimServer(simulated: SimulationContext): Server {
  return createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    handle(simulated, request, response).catch((error: unknown) => {
      if (!(error instanceof CloudError)) console.error(error)
      const known = error instanceof CloudError ? error : new CloudError('InternalFailure', String(error), 500)
      if (!response.headersSent) send(response, jsonAnswer(known.status, jsonError(known)))
    })
  })
}

async function handle(simulated: SimulationContext, request: IncomingMessage, response: ServerResponse) {
  const url = URL.parse(`http://sim${request.url ?? '/'}`)
  if (!url) return send(response, jsonAnswer(400, jsonError(new CloudError('BadRequest', 'Bad Request'))))
  const body = await readBody(request)
  const { method = 'GET', headers } = request
  const answer = await answerRequest(simulated, { method, url, headers, body })
  if (!answer) return request.socket.destroy()
  send(response, answer)
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBodyLength) throw new CloudError('RequestEntityTooLarge', 'The request body is too large.', 413)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Sends a response. HEAD responses have a length but no body. */
function send(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  const isBodiless = status === 204 || status === 304
  const length = isBodiless ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  response.writeHead(status, { ...length, ...headers })
  if (isBodiless || response.req.method === 'HEAD') response.end()
  else response.end(body)
}
