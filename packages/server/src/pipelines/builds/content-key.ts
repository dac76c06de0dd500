import { type Secrets, sign } from '../../platform/crypto/keys.ts'

/**
 * Returns a key that is the same for the same files, builder, inputs, variables and location. It is an HMAC, because
 * variables may be secrets that a plain hash would allow to guess.
 */
export const contentKeyOf = (secrets: Secrets, madeOf: object, tree: string): string =>
  sign(secrets, JSON.stringify(sorted({ ...madeOf, tree }))).toString('hex')

/** Sorts the names of objects, so that their order does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}
