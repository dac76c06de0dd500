import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whom an operator lets requests go to although they are not out in the open: host names, addresses, networks. */
export type OutboundRules = {
  /** Whether the host may be reached wherever its name leads. */
  allowsHost(host: string): boolean
  allowsAddress(address: string): boolean
}

export function outboundRules(allow: readonly string[]): OutboundRules {
  const hosts = new Set(allow.filter((entry) => !isNetwork(entry)).map((entry) => entry.toLowerCase()))
  const networks = allow.filter(isNetwork).map((entry) => ipaddr.parseCIDR(withPrefix(entry)))
  return {
    allowsHost: (host) => hosts.has(host.toLowerCase()),
    allowsAddress(address) {
      // A mapped address (::ffff:10.0.0.1) leads where the address inside it does.
      const parsed = ipaddr.process(address)
      return isOpen(parsed) || networks.some(([network, bits]) => isInside(parsed, network, bits))
    },
  }
}

const isNetwork = (entry: string): boolean => isIP(entry.split('/', 1)[0] ?? '') > 0

const withPrefix = (entry: string): string => (entry.includes('/') ? entry : `${entry}/${isIP(entry) === 4 ? 32 : 128}`)

type Address = ReturnType<typeof ipaddr.process>

/** What IPv6 has given out to networks (RFC 4291 2.4); whatever is outside is local, translated or not in use. */
const given = ipaddr.parseCIDR('2000::/3')

/** Whether the address is one of the internet: not ours, not a neighbour's, not the cloud's metadata service. */
function isOpen(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || isInside(address, ...given)
}

const isInside = (address: Address, network: Address, bits: number): boolean =>
  address.kind() === network.kind() && address.match(network, bits)
