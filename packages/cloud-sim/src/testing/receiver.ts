import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedEvent {
  at: number
  headers: IncomingHttpHeaders
  event: {
    id: string
    'detail-type': string
    account: string
    resources: string[]
    detail: Record<string, unknown>
  }
}

interface ReceiverOptions {
  port?: number
  /** Headers that every response contains. */
  headers?: Record<string, string>
}

/** Starts a receiver that records events and responds with the given statuses, then 200. */
export async function startReceiver(answers: number[] = [], { port = 0, headers = {} }: ReceiverOptions = {}) {
  const received: ReceivedEvent[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const event = JSON.parse(Buffer.concat(chunks).toString())
    received.push({ at: Date.now(), headers: request.headers, event })
    response.writeHead(answers.shift() ?? 200, headers).end()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: actual } = server.address() as AddressInfo
  return {
    port: actual,
    url: `http://127.0.0.1:${actual}/events`,
    received,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
