import { type IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import type { App } from '../app.ts'

/** What a client may send at once. Bytes. */
const mostBytes = 16 * 1024

/** What a request to upgrade came with: its connection, and what was read of it already. */
interface Asked {
  socket: Duplex
  head: Buffer
}

/**
 * Requests for a WebSocket. One goes the way of any other request to its operation, so that who may call, how often and
 * how many at once is asked in one place; the operation then accepts it, or answers as if none had been asked for.
 */
export class Upgrades {
  readonly #paths = new Set<string>()
  readonly #asked = new WeakMap<IncomingMessage, Asked>()
  // Compression costs a window of memory for each connection, and these messages are small.
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: mostBytes,
  })

  /** A path whose operation accepts them. At all others the wish is passed over, as HTTP wants it. */
  allow(path: string): void {
    this.#paths.add(path)
  }

  /** For the HTTP server: whether a request may leave HTTP. */
  readonly isWanted = ({ method, url = '', headers }: IncomingMessage): boolean =>
    method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && this.#paths.has(url.split('?', 1)[0] ?? '')

  attach(app: App): void {
    app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy()) // nobody else listens from here on
      if (!(socket instanceof Socket)) return socket.destroy()
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket)
      response.once('finish', () => socket.destroySoon()) // it was refused: nobody reads what still comes
      this.#asked.set(request, { socket, head })
      app.routing(request, response)
    })
  }

  isAsked({ raw }: FastifyRequest): boolean {
    return this.#asked.has(raw)
  }

  /** The WebSocket; undefined where the client's handshake is wrong, which it was told. */
  accept({ raw }: FastifyRequest, reply: FastifyReply): Promise<WebSocket | undefined> {
    const { promise, resolve } = Promise.withResolvers<WebSocket | undefined>()
    const asked = this.#asked.get(raw)
    if (!asked) throw new Error('no WebSocket was asked for')
    reply.hijack()
    asked.socket.once('close', () => resolve(undefined))
    this.#server.handleUpgrade(raw, asked.socket, asked.head, resolve)
    return promise
  }
}
