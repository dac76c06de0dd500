import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { method: string; path: string; headers: IncomingMessage['headers']; body: string }
/** Response: `text` is sent unchanged, `body` as JSON. */
type Answered = { status?: number; headers?: Record<string, string>; body?: unknown; text?: string | Buffer }

/** Starts an HTTP server that responds as the test defines, possibly after a delay. */
export async function startStubServer(answer: (received: Received) => Answered | Promise<Answered> = () => ({})) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    const one = { method, path, headers, body: Buffer.concat(chunks).toString() }
    received.push(one)
    const { status = 200, headers: more = {}, body = { ok: true }, text } = await answer(one)
    response.writeHead(status, { 'content-type': 'application/json', ...more }).end(text ?? JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
