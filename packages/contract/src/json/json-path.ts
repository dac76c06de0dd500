/** Returns how a JSON path continues to a member of an object, or to an item. */
export function member(name: string): string {
  if (/^[A-Za-z_][\w]*$/.test(name)) return `.${name}`
  return /^\d+$/.test(name) ? `[${name}]` : `[${JSON.stringify(name)}]`
}
