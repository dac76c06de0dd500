import { isIP, isIPv4 } from 'node:net'
import { cloudMetadata } from '@sluice/outbound/addresses'

/** The network that scripts/network.sh makes: its host stands for this machine's loopback. See etc/resolv.conf too. */
const network = '198.18.73.0/24'
const loopbackInside = '198.18.73.2'
const namesInside = '198.18.73.3'

const linkLocal = '169.254.0.0/16'
const otherMetadata = cloudMetadata.filter((address) => isIPv4(address) && !address.startsWith('169.254.'))

/**
 * What programs are kept from beside loopback: link-local addresses, where clouds give machines their credentials,
 * and what slirp4netns would take for this machine itself.
 */
const closed = [network, linkLocal, ...otherMetadata, '255.255.255.255', '224.0.0.0/4']

/**
 * The rules of a network of their own, for `ip -batch`. First what is open although it is on this machine: names, the
 * endpoints, and what is `open` of its outer addresses. Then what is closed; this machine's own addresses lead past its
 * firewall to all that listens there.
 */
export function networkRules(
  endpoints: readonly string[],
  ownAddresses: readonly string[],
  open: readonly { address: string; port: string }[] = [],
): string {
  const ports = new Set(endpoints.map((endpoint) => endpoint.slice(endpoint.lastIndexOf(':') + 1)))
  const opened = [
    ...['udp', 'tcp'].map((protocol) => `to ${namesInside} ipproto ${protocol} dport 53`),
    ...[...ports].map((port) => `to ${loopbackInside} ipproto tcp dport ${port}`),
    ...open
      .filter(({ address }) => isIP(address) === 4)
      .map(({ address, port }) => `to ${address} ipproto tcp dport ${port}`),
  ]
  const shut = [...closed, ...ownAddresses.filter((address) => isIP(address) === 4)]
  return [
    ...opened.map((what) => `rule add pref 10 ${what} lookup main`),
    ...shut.map((what) => `rule add pref 20 to ${what} prohibit`),
  ].join('\n')
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127\.[\d.]+$/.test(host)

/** Where programs find what the runner finds at `url`. */
export function addressInside(url: string): string {
  const address = new URL(url)
  if (!isLoopback(address.hostname)) return url
  const port = address.port === '' ? '' : `:${address.port}`
  return url.replace(`//${address.host}`, `//${loopbackInside}${port}`)
}

export const hostInside = (host: string): string => (isLoopback(host) || host === '::1' ? loopbackInside : host)

/** `127.0.0.1:4600` of an address on this machine's loopback; undefined of any other. */
export function endpointOf(url: string): string | undefined {
  const { hostname, port, protocol } = new URL(url)
  if (!isLoopback(hostname)) return undefined
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
