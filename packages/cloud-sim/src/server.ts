import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { readSignature } from './callers.ts'
import type { CallLog } from './calls.ts'
import { answerCall } from './cloud-call.ts'
import { answerControl } from './control.ts'
import { CloudError } from './errors.ts'
import { jsonError } from './wire/json.ts'
import type { World } from './world.ts'

const longestBody = 4 * 1024 * 1024

/** One port for everything: `/_sim/` is the control interface, all else is the cloud's. */
export function createSimServer(world: World, calls: CallLog): Server {
  return createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    handle(world, calls, request, response).catch((error: unknown) => {
      console.error(error)
      if (!response.headersSent) send(response, 500, 'application/json', jsonError(failure(error)))
    })
  })
}

const failure = (error: unknown) =>
  error instanceof CloudError ? error : new CloudError('InternalFailure', String(error), 500)

async function handle(world: World, calls: CallLog, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://sim')
  const body = await readBody(request)
  if (url.pathname.startsWith('/_sim/')) {
    const { status, value } = await answerControl(world, calls, request.method ?? 'GET', url, body)
    return send(response, status, 'application/json', value === undefined ? '' : JSON.stringify(value))
  }
  const requestId = randomUUID()
  response.setHeader('x-amzn-requestid', requestId)
  const { authorization, 'x-amz-security-token': token, 'x-amz-target': target } = request.headers
  const signature = readSignature(authorization, String(token ?? ''))
  if (!signature) {
    const error = new CloudError('MissingAuthenticationTokenException', 'Missing Authentication Token', 403)
    return send(response, error.status, 'application/x-amz-json-1.1', jsonError(error))
  }
  const answer = await answerCall(world, calls, { signature, target: target?.toString(), body, requestId })
  if (answer.isDropped) return request.socket.destroy()
  send(response, answer.status, answer.contentType, answer.body)
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > longestBody) throw new CloudError('RequestEntityTooLarge', 'The request body is too large.', 413)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }).end(body)
}
