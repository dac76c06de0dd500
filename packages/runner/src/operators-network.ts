const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR'].flatMap((name) => [
  name,
  name.toLowerCase(),
])

/**
 * How this machine reaches others, as its operator set it up. `addressOf` says where programs find what is on this
 * machine.
 */
export function operatorsNetwork(addressOf: (url: string) => string, env = process.env): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name]
      if (value === undefined) return []
      return [[name, /_proxy$/i.test(name) && URL.canParse(value) ? addressOf(value) : value]]
    }),
  )
}
