/** How this machine reaches others, as its operator set it up. */
export function operatorsNetwork(): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR']
  return Object.fromEntries(
    names
      .flatMap((name) => [name, name.toLowerCase()])
      .flatMap((name) => {
        const value = process.env[name]
        return value === undefined ? [] : [[name, value]]
      }),
  )
}
