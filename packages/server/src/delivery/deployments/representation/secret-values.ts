const secretName = /SECRET|PASSW|TOKEN|API_?KEY|PRIVATE_?KEY|CREDENTIAL/i
/** With a password in it. */
const secretAddress = /:\/\/[^/\s:@]+:[^/\s@]+@/

/** Whether a value that everybody reads should be read by nobody, by its name or by its looks. */
export const looksSecret = (name: string, value: string): boolean => secretName.test(name) || secretAddress.test(value)

/** The same of a value of whatever form, by all the names that lead to it or stand in it. */
export function holdsSecret(path: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return looksSecret(path, String(value ?? ''))
  return secretName.test(path) || Object.entries(value).some(([name, inner]) => holdsSecret(name, inner))
}
