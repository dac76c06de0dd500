import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What an operator lets requests reach besides the public internet. */
export type OutboundRules = {
  /** Whether the host of a URL may be reached wherever its name leads. */
  allowsHost(url: URL): boolean
  allowsAddress(address: string): boolean
}

/** An address, or one with the length of the network's prefix. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  return (
    version > 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)))
  )
}

export const isHostName = (text: string): boolean => /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text)

/** Rules of a list of host names, of hosts with a port (`127.0.0.1:4700`), of addresses and of networks. */
export function outboundRules(allow: readonly string[]): OutboundRules {
  const hosts = new Set(allow.filter((entry) => !isNetwork(entry)).map((entry) => entry.toLowerCase()))
  const networks = allow.filter(isNetwork).map((entry) => ipaddr.parseCIDR(withPrefix(entry)))
  return {
    allowsHost: (url) => hosts.has(url.hostname) || hosts.has(hostAndPort(url)),
    allowsAddress(address) {
      // A mapped address (::ffff:10.0.0.1) leads where the address inside it does.
      const parsed = ipaddr.process(address)
      const allowed = networks.filter(([network, bits]) => isInside(parsed, network, bits))
      // A network that an operator allows does not include the credentials of the machines in it.
      if (isMetadata(parsed)) return allowed.some(([network, bits]) => bits === bitsOf(network))
      return isPublic(parsed) || allowed.length > 0
    },
  }
}

/** `git.example.com:443`: the host of a URL and its port, also where that is the usual one. */
export const hostAndPort = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`

type Address = ReturnType<typeof ipaddr.process>

const bitsOf = (address: Address): number => (address.kind() === 'ipv4' ? 32 : 128)

const withPrefix = (entry: string): string => (entry.includes('/') ? entry : `${entry}/${isIP(entry) === 4 ? 32 : 128}`)

/**
 * Where clouds give machines credentials and configuration (read 2026-11): AWS, with those of tasks and pods; Azure,
 * whose platform is at a public address; Alibaba; Oracle. The rest are link-local like the first, and as such not
 * public; they are here because a network that is allowed must not include them.
 */
export const cloudMetadata = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  'fd00:ec2::254',
  'fd00:ec2::23',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
]

const isMetadata = (address: Address): boolean => cloudMetadata.includes(address.toString())

/** What IPv6 has given out to networks (RFC 4291 2.4); whatever is outside is local, translated or not in use. */
const given = ipaddr.parseCIDR('2000::/3')

/** Whether the address is one of the internet: not this machine's, a neighbour's, or one that leads to another. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || isInside(address, ...given)
}

const isInside = (address: Address, network: Address, bits: number): boolean =>
  address.kind() === network.kind() && address.match(network, bits)
