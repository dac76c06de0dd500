import { isIP, isIPv4 } from 'node:net'
import { cloudMetadata } from '@sluice/outbound/addresses'

/**
 * Addresses of the network that scripts/network.sh creates. One stands for this machine's loopback. See
 * etc/resolv.conf.
 */
const network = '198.18.73.0/24'
const loopbackAddress = '198.18.73.2'
const nameServerAddress = '198.18.73.3'

const linkLocal = '169.254.0.0/16'
const otherMetadata = cloudMetadata.filter((address) => isIPv4(address) && !address.startsWith('169.254.'))

/**
 * Networks that programs cannot reach: link-local addresses, where clouds offer credentials of machines, and addresses
 * that slirp4netns would map to this machine.
 */
const prohibitedNetworks = [network, linkLocal, ...otherMetadata, '255.255.255.255', '224.0.0.0/4']

/**
 * Returns the rules of a private network for `ip -batch`. First the allowed addresses of this machine: name server,
 * endpoints and `open`. Then the prohibited ones, including this machine's own addresses, which would bypass its
 * firewall.
 */
export function createNetworkRules(
  endpoints: readonly string[],
  ownAddresses: readonly string[],
  open: readonly { address: string; port: string }[] = [],
): string {
  const ports = new Set(endpoints.map((endpoint) => endpoint.slice(endpoint.lastIndexOf(':') + 1)))
  const opened = [
    ...['udp', 'tcp'].map((protocol) => `to ${nameServerAddress} ipproto ${protocol} dport 53`),
    ...[...ports].map((port) => `to ${loopbackAddress} ipproto tcp dport ${port}`),
    ...open
      .filter(({ address }) => isIP(address) === 4)
      .map(({ address, port }) => `to ${address} ipproto tcp dport ${port}`),
  ]
  const shut = [...prohibitedNetworks, ...ownAddresses.filter((address) => isIP(address) === 4)]
  return [
    ...opened.map((what) => `rule add pref 10 ${what} lookup main`),
    ...shut.map((what) => `rule add pref 20 to ${what} prohibit`),
  ].join('\n')
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127\.[\d.]+$/.test(host)

/** Returns the URL with which programs in a private network reach what the runner reaches at `url`. */
export function toSandboxUrl(url: string): string {
  const address = new URL(url)
  if (!isLoopback(address.hostname)) return url
  const port = address.port === '' ? '' : `:${address.port}`
  return url.replace(`//${address.host}`, `//${loopbackAddress}${port}`)
}

export const toSandboxHost = (host: string): string => (isLoopback(host) || host === '::1' ? loopbackAddress : host)

/** Returns host and port, such as `127.0.0.1:4600`, of a URL on this machine's loopback; undefined for other URLs. */
export function parseLoopbackEndpoint(url: string): string | undefined {
  const { hostname, port, protocol } = new URL(url)
  if (!isLoopback(hostname)) return undefined
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
