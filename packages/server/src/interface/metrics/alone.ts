import { once } from 'node:events'
import { createServer } from 'node:http'
import { type MetricsParts, measureStanding } from './standing.ts'
import { isBearer } from './token.ts'

/** Serves the metrics of a process that has no interface to serve, at the port that the interface would have. */
export async function serveMetricsAlone(
  parts: MetricsParts,
  { token, host, port }: { token: string; host: string; port: number },
): Promise<{ stop(): Promise<void> }> {
  const { registry } = parts.metrics
  measureStanding(parts)
  const server = createServer(async (request, response) => {
    if (!isBearer(request.headers.authorization, token)) {
      return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    }
    if (request.method !== 'GET' || request.url !== '/metrics') return response.writeHead(404).end()
    try {
      const text = await registry.metrics()
      response.writeHead(200, { 'content-type': registry.contentType }).end(text)
    } catch {
      response.writeHead(503).end() // the database does not answer
    }
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
