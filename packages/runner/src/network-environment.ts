const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR'].flatMap((name) => [
  name,
  name.toLowerCase(),
])

/**
 * Returns the proxy and certificate variables that the operator set on this machine. `rewriteUrl` rewrites URLs of this
 * machine to addresses that programs in sandboxes can reach.
 */
export function readNetworkEnvironment(rewriteUrl: (url: string) => string, env = process.env): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name]
      if (value === undefined) return []
      return [[name, /_proxy$/i.test(name) && URL.canParse(value) ? rewriteUrl(value) : value]]
    }),
  )
}
