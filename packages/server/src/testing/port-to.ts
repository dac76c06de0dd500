import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** Local port that forwards to another address, like a load balancer. */
export type Line = {
  port: number
  /** Changes the target of new connections. */
  lead(...places: NetConnectOpts[]): void
  /** Closes connections without notice: all of them, or those that the function selects. */
  cut(isMeant?: () => boolean): void
  /** Drops all further data on open connections silently, as if a machine had vanished. */
  forget(): void
  /** Delays data in both directions, in milliseconds. */
  delay(ms: number): void
  close(): void
}

/**
 * Starts a forwarding port. New connections go round robin to the first target that accepts them. Resolves once it
 * listens.
 */
export async function portTo(...places: NetConnectOpts[]): Promise<Line> {
  const open = new Set<Socket>()
  const forgotten = new WeakSet<Socket>()
  let turn = 0
  let delayMs = 0
  const server = createServer((from) => {
    turn += 1
    const inTurn = places.map((_, index) => places[(turn + index) % places.length] as NetConnectOpts)
    open.add(from)
    from.once('close', () => open.delete(from))
    const how = { delayMs: () => delayMs, isForgotten: () => forgotten.has(from) }
    void join(from, inTurn, how)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    lead(...others) {
      places = others
    },
    cut(isMeant = () => true) {
      for (const socket of open) if (isMeant()) socket.destroy()
    },
    forget() {
      for (const socket of open) forgotten.add(socket)
    },
    delay(ms) {
      delayMs = ms
    },
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

type How = { delayMs: () => number; isForgotten: () => boolean }

async function join(from: Socket, places: NetConnectOpts[], how: How): Promise<void> {
  from.on('error', () => {}) // a close event follows
  for (const place of places) {
    const to = connect(place)
    const isOpen = await once(to, 'connect').then(
      () => true,
      () => false,
    )
    if (!isOpen) continue
    to.on('error', () => from.destroy())
    from.once('close', () => to.destroy())
    from.pipe(onTheWay(how)).pipe(to).pipe(onTheWay(how)).pipe(from)
    return
  }
  from.destroy()
}

/** Preserves the order even if the delay changes. */
const onTheWay = ({ delayMs, isForgotten }: How) =>
  new Transform({
    async transform(chunk, _, done) {
      if (delayMs() > 0) await sleep(delayMs())
      if (isForgotten()) done()
      else done(null, chunk)
    },
  })
