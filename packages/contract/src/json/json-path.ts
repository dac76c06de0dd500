/** Returns the suffix of a JSON path for a member of an object or an item of a list. */
export function jsonPathSuffix(name: string): string {
  if (/^[A-Za-z_][\w]*$/.test(name)) return `.${name}`
  return /^\d+$/.test(name) ? `[${name}]` : `[${JSON.stringify(name)}]`
}
