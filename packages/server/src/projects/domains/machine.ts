/**
 * Returns the certificate names that match a host: its own name, and the wildcard for its first label. A wildcard
 * matches only itself.
 */
export function namesCovering(name: string): string[] {
  const rest = name.slice(name.indexOf('.'))
  return [...new Set([name, `*${rest}`])]
}
