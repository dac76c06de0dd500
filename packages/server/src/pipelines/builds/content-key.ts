import { type Secrets, sign } from '../../platform/crypto/keys.ts'

/**
 * The same for the same files, builder, inputs, variables and place. It is made with a key, since variables may be
 * secrets that somebody could guess.
 */
export const contentKeyOf = (secrets: Secrets, madeOf: object, tree: string): string =>
  sign(secrets, JSON.stringify(sorted({ ...madeOf, tree }))).toString('hex')

/** With the names in an order of their own: who wrote them in which does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}
