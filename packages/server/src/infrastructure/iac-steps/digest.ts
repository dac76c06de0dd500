import { hash } from 'node:crypto'

/** Returns a hash that does not depend on the order of object keys. */
export const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(sorted(value)), 'hex')

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  )
}
