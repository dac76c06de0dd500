import { lookup } from 'node:dns/promises'
import type { OutboundRules } from '@sluice/outbound/addresses'
import { StepFailure } from './step-failure.ts'

/**
 * Returns the addresses of a host, to which a connection is then limited.
 * @throws if the host must not be called
 */
export type AddressGuard = (url: URL) => Promise<string[]>

/**
 * Returns a guard that allows the public internet and the addresses that the operator allows. A proxy resolves hosts
 * and filters them itself, so then no address is looked up.
 */
export const guardedBy =
  (rules: OutboundRules): AddressGuard =>
  async (url) => {
    if ('https_proxy' in process.env || 'HTTPS_PROXY' in process.env) return []
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const found = await lookup(host, { all: true }).catch((error: Error) => {
      throw new StepFailure('sourceUnavailable', `The host ${host} cannot be found.`, { description: error.message })
    })
    const addresses = found.map(({ address }) => address)
    if (rules.allowsHost(url) || addresses.every((address) => rules.allowsAddress(address))) return addresses
    throw new StepFailure(
      'sourceUnavailable',
      `${host} is not on the public internet. Operators can allow such requests with SLUICE_OUTBOUND_ALLOW.`,
    )
  }
