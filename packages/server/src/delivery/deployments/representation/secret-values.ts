const secretName = /SECRET|PASSW|TOKEN|API_?KEY|PRIVATE_?KEY|CREDENTIAL/i
/** Matches an address that contains a password. */
const secretAddress = /:\/\/[^/\s:@]+:[^/\s@]+@/

/** Reports whether a public value probably is a secret, by its name or its format. */
export const isProbablySecret = (name: string, value: string): boolean =>
  secretName.test(name) || secretAddress.test(value)

/** Reports whether a value of any type probably contains a secret, by the names in its path and inside it. */
export function containsSecret(path: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isProbablySecret(path, String(value ?? ''))
  return secretName.test(path) || Object.entries(value).some(([name, inner]) => containsSecret(name, inner))
}
