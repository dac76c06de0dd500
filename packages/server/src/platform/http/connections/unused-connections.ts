import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { App } from '../app.ts'

/**
 * Ends connections on which nobody has asked anything yet when the service stops. Browsers open some ahead of need, and
 * clients keep them; Node counts those as busy, so that its `close` would wait for them for as long as they are open.
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
