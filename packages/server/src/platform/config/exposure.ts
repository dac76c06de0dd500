import type { Config } from './settings.ts'

const loopback = /^(localhost|::1|127\.[\d.]+)$/

/**
 * Returns what an operator should know of an API that others on the network reach without TLS; undefined where a proxy
 * is named or people reach it by https. A container listens on all of its addresses, so this is no error by itself.
 */
export function exposureOf({ roles, host, port, publicUrl = '', trustedProxies = [] }: Config): string | undefined {
  if (!roles.includes('api') || loopback.test(host)) return undefined
  if (publicUrl.startsWith('https:') || trustedProxies.length > 0) return undefined
  return (
    `The API listens on ${host}:${port} without TLS, so others on the network can read passwords and keys. Put a proxy with ` +
    'a certificate before it and set SLUICE_PUBLIC_URL to its https address, or listen on 127.0.0.1 with HOST.'
  )
}
