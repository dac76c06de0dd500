import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Destinations that the operator allows in addition to the public internet. */
export type OutboundRules = {
  /** Reports whether a URL's host is allowed, whatever addresses its name resolves to. */
  allowsHost(url: URL): boolean
  allowsAddress(address: string): boolean
}

/** Reports whether a text is an address or a network in CIDR notation. */
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

/** Parses a list of host names, hosts with a port (`127.0.0.1:4700`), addresses and networks. */
export function parseOutboundRules(allow: readonly string[]): OutboundRules {
  const hosts = new Set(allow.filter((entry) => !isNetwork(entry)).map((entry) => entry.toLowerCase()))
  const networks = allow.filter(isNetwork).map((entry) => ipaddr.parseCIDR(withPrefix(entry)))
  return {
    allowsHost: (url) => hosts.has(url.hostname) || hosts.has(hostAndPort(url)),
    allowsAddress(address) {
      // An IPv4-mapped address (::ffff:10.0.0.1) is routed as the IPv4 address in it.
      const parsed = ipaddr.process(address)
      const allowed = networks.filter(([network, bits]) => isInside(parsed, network, bits))
      // An allowed network does not include the metadata services in it, which give out credentials.
      if (isMetadata(parsed)) return allowed.some(([network, bits]) => bits === bitsOf(network))
      return isPublic(parsed) || allowed.length > 0
    },
  }
}

/** Returns host and port of a URL, such as `git.example.com:443`, including the default port. */
export const hostAndPort = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`

type Address = ReturnType<typeof ipaddr.process>

const bitsOf = (address: Address): number => (address.kind() === 'ipv4' ? 32 : 128)

const withPrefix = (entry: string): string => (entry.includes('/') ? entry : `${entry}/${isIP(entry) === 4 ? 32 : 128}`)

/**
 * Metadata services, through which cloud providers give machines credentials and configuration (as of 2026-11): AWS,
 * including those of tasks and pods; Azure, at a public address; Alibaba; Oracle. Link-local ones are not public
 * anyway. They are listed so that they stay blocked even if they lie in an allowed network.
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

/** IPv6 addresses that are assigned to networks (RFC 4291 2.4). Others are local, translated or unused. */
const assignedRange = ipaddr.parseCIDR('2000::/3')

/** Reports whether an address is on the public internet: not local, private or translated. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || isInside(address, ...assignedRange)
}

const isInside = (address: Address, network: Address, bits: number): boolean =>
  address.kind() === network.kind() && address.match(network, bits)
