import { type IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import type { App } from '../app.ts'

/** Maximum size of a WebSocket message from a client, in bytes. */
const mostBytes = 16 * 1024

/** Connection of an upgrade request, and the data that was already read from it. */
interface Asked {
  socket: Duplex
  head: Buffer
}

/**
 * Handles WebSocket upgrades. An upgrade request passes through the same route as any other request, so that
 * permissions and limits are checked in one place. The operation then accepts the upgrade or sends a normal response.
 */
export class Upgrades {
  readonly #paths = new Set<string>()
  readonly #asked = new WeakMap<IncomingMessage, Asked>()
  // Compression takes a window of memory for each connection, and these messages are small.
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: mostBytes,
  })

  /** Enables upgrades on a path. On all other paths the `Upgrade` header is ignored, as HTTP requires. */
  allow(path: string): void {
    this.#paths.add(path)
  }

  /** Reports to the HTTP server whether a request may be upgraded. */
  readonly isWanted = ({ method, url = '', headers }: IncomingMessage): boolean =>
    method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && this.#paths.has(url.split('?', 1)[0] ?? '')

  attach(app: App): void {
    app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy()) // no other listener for errors remains after an upgrade
      if (!(socket instanceof Socket)) return socket.destroy()
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket)
      response.once('finish', () => socket.destroySoon()) // a normal response ends the connection
      this.#asked.set(request, { socket, head })
      app.routing(request, response)
    })
  }

  isAsked({ raw }: FastifyRequest): boolean {
    return this.#asked.has(raw)
  }

  /** Accepts the upgrade. Resolves to undefined if the handshake is invalid and was answered with an error. */
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
