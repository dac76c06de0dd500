import type { Config } from './settings.ts'

const loopback = /^(localhost|::1|127\.[\d.]+)$/

/**
 * Returns a warning about an API that others on the network can reach without TLS; undefined if a proxy is configured
 * or the public URL uses https. This is no error, because a container listens on all of its addresses.
 */
export function exposureOf({ roles, host, port, publicUrl = '', trustedProxies = [] }: Config): string | undefined {
  if (!roles.includes('api') || loopback.test(host)) return undefined
  if (publicUrl.startsWith('https:') || trustedProxies.length > 0) return undefined
  return (
    `The API listens on ${host}:${port} without TLS, so others on the network can read passwords and keys. Put a proxy with ` +
    'a certificate in front of it and set SLUICE_PUBLIC_URL to its https address, or listen on 127.0.0.1 with HOST.'
  )
}
