import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, BlockList, createServer, isIPv6, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { App } from '../app.ts'

/** Headers in which proxies report the address of the client. */
const forwardedHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto']

/**
 * Serves the API on a second port, for runners and programs of steps. Their address may be that of a trusted proxy, for
 * example on a single machine. Forwarded headers are therefore ignored on this port.
 */
export async function listenWithoutTrustedProxies(
  app: App,
  { port, host }: { port: number; host: string },
): Promise<{ url: string; close(): void }> {
  const connections = new WeakSet<object>()
  const removeForwarded = ({ socket, headers }: IncomingMessage) => {
    if (connections.has(socket)) for (const name of forwardedHeaders) delete headers[name]
  }
  for (const event of ['request', 'upgrade']) app.server.prependListener(event, removeForwarded)
  // The server of the API handles the connections, with its timeouts and its shutdown. It expects half-open sockets.
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

/** Reports whether the trusted proxies include an address of this machine. */
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
