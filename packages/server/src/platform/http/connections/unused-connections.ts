import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { App } from '../app.ts'

/**
 * Closes connections without a request when the service stops. Browsers open connections in advance, and Node counts
 * them as active: `close` of its server would wait until the client closes them.
 */
export function endUnusedConnections(app: App): void {
  const unused = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  for (const asked of ['request', 'upgrade']) {
    app.server.on(asked, ({ socket }: IncomingMessage) => unused.delete(socket))
  }
  app.addHook('preClose', (done) => {
    for (const socket of unused) socket.destroy()
    done()
  })
}
