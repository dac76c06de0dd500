import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/**
 * A port of this machine whose connections lead to the first of several places that takes them, beginning with another
 * one each time. Resolves to the port, and ends with `close`.
 */
export async function portTo(...places: NetConnectOpts[]): Promise<{ port: number; close(): void }> {
  const open = new Set<Socket>()
  let turn = 0
  const server = createServer((from) => {
    turn += 1
    const inTurn = places.map((_, index) => places[(turn + index) % places.length] as NetConnectOpts)
    open.add(from)
    from.once('close', () => open.delete(from))
    void join(from, inTurn)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

async function join(from: Socket, places: NetConnectOpts[]): Promise<void> {
  from.on('error', () => {}) // its end follows
  for (const place of places) {
    const to = connect(place)
    const isOpen = await once(to, 'connect').then(
      () => true,
      () => false,
    )
    if (!isOpen) continue
    to.on('error', () => from.destroy())
    from.once('close', () => to.destroy())
    from.pipe(to).pipe(from)
    return
  }
  from.destroy()
}
