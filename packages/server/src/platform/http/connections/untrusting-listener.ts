import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, BlockList, createServer, isIPv6, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { App } from '../app.ts'

/** By which proxies say who calls. */
const forwardedHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto']

/**
 * Serves the API on a second port, for runners and programs of steps. They may have the address of a trusted proxy, as
 * where all are on one machine; here they call from the address that they have, whatever their headers say.
 */
export async function listenUntrusting(
  app: App,
  { port, host }: { port: number; host: string },
): Promise<{ url: string; close(): void }> {
  const connections = new WeakSet<object>()
  const removeForwarded = ({ socket, headers }: IncomingMessage) => {
    if (connections.has(socket)) for (const name of forwardedHeaders) delete headers[name]
  }
  for (const event of ['request', 'upgrade']) app.server.prependListener(event, removeForwarded)
  // The server of the API takes the connections over, with its time-outs and its end: half-open ones, as it has them.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) => {
    connections.add(socket)
    app.server.emit('connection', socket)
  })
  server.listen(port, host)
  await once(server, 'listening')
  const { address, family, port: listening } = server.address() as AddressInfo
  const reachable = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address
  return {
    url: `http://${family === 'IPv6' && reachable !== '127.0.0.1' ? `[${reachable}]` : reachable}:${listening}`,
    close: () => void server.close(),
  }
}

/** Whether the word of a program on this machine would be taken on who calls. */
export function trustsThisMachine(trustedProxies: readonly string[]): boolean {
  const trusted = new BlockList()
  for (const proxy of trustedProxies) {
    const [address = '', bits] = proxy.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(bits), family)
  }
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return own.some(({ address, family }) => trusted.check(address, family === 'IPv6' ? 'ipv6' : 'ipv4'))
}
