import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { ApiError } from '../../platform/http/api-error.ts'
import { newId } from '../../platform/ids.ts'
import { type MetricsParts, measureInstallation } from '../metrics/installation.ts'
import { isBearer } from '../metrics/token.ts'
import { checkReadiness, type ReadinessParts } from './readiness.ts'

export type ProcessPortParts = ReadinessParts &
  MetricsParts & {
    /** Returns when the last engine call ended; undefined before the first. */
    lastMessageAt(): Date | undefined
    /** Without it, no client can read the metrics. */
    metricsToken: string | undefined
    host: string
    port: number
  }

/**
 * Serves the health and metrics of a process without the role `api`, at the port of the API. Uses the event loop,
 * because a TCP probe would succeed for a hanging process whose kernel accepts the connection.
 */
export async function serveProcessPort(parts: ProcessPortParts): Promise<{ stop(): Promise<void> }> {
  const { host, port } = parts
  const server = createServer((request, response) => void answer(parts, request, response))
  server.listen(port, host)
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    throw new Error(
      `Cannot listen on ${host}:${port}: ${cause.code}. A process without the role api answers /health and /metrics ` +
        'there. Choose another port with PORT.',
      { cause },
    )
  })
  measureInstallation(parts)
  return {
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(parts: ProcessPortParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.method === 'GET' ? request.url?.split('?')[0] : undefined
  if (path === '/health/live') return sendJson(response, 200, { data: { status: 'ok' } })
  if (path === '/health/ready') return answerReadiness(parts, response)
  if (path === '/metrics') return answerMetrics(parts, request, response)
  response.writeHead(404).end()
}

/**
 * Checks that do not affect readiness. Only the engine calls this process: if it were unready while the engine is
 * unavailable, a load balancer would prevent the engine from ever reaching it.
 */
const ofEngine = ['engine', 'worker'] as const

async function answerReadiness(parts: ProcessPortParts, response: ServerResponse): Promise<void> {
  try {
    const readiness = await checkReadiness(parts, ofEngine)
    sendJson(response, 200, { data: { ...readiness, lastMessageAt: parts.lastMessageAt() } })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    sendJson(response, error.status, error.toBody(newId('req')), error.headers)
  }
}

async function answerMetrics(
  { metrics: { registry }, metricsToken }: ProcessPortParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (metricsToken === undefined || !isBearer(request.headers.authorization, metricsToken)) {
    return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
  }
  try {
    const text = await registry.metrics()
    response.writeHead(200, { 'content-type': registry.contentType }).end(text)
  } catch {
    response.writeHead(503).end() // the database does not respond
  }
}

function sendJson(response: ServerResponse, status: number, body: object, headers: ApiError['headers'] = {}): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body))
}
