/**
 * The names in certificates that are good for a host: its own, and that with a `*` in place of its first label. A
 * wildcard is covered by itself alone.
 */
export function namesCovering(name: string): string[] {
  const rest = name.slice(name.indexOf('.'))
  return [...new Set([name, `*${rest}`])]
}
