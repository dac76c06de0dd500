import dgram from 'node:dgram'
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

/**
 * Makes every connection of this process fail: a rehearsal must never reach a real cloud. All streams connect through
 * `net.Socket`. The permission model, with which the server starts this program, prevents child processes.
 */
export function rejectConnections(): void {
  const reject = (): never => {
    throw new Error('A rehearsal has no network.')
  }
  net.Socket.prototype.connect = reject
  net.Server.prototype.listen = reject
  for (const name of ['bind', 'connect', 'send'] as const) dgram.Socket.prototype[name] = reject
  for (const names of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    for (const name of Object.keys(Object.getOwnPropertyDescriptors(names))) {
      if (/^(lookup|resolve|reverse)/.test(name)) Reflect.set(names, name, reject)
    }
  }
  syncBuiltinESMExports()
}
