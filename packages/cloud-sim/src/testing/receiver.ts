import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedEvent {
  headers: IncomingHttpHeaders
  event: {
    id: string
    'detail-type': string
    account: string
    resources: string[]
    detail: Record<string, unknown>
  }
}

/** A receiver of events that keeps what it got, and answers what it is told to; 200 when told nothing more. */
export async function startReceiver(answers: number[] = [], port = 0) {
  const received: ReceivedEvent[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    received.push({ headers: request.headers, event: JSON.parse(Buffer.concat(chunks).toString()) })
    response.writeHead(answers.shift() ?? 200).end()
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
