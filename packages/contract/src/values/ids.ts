import { type Static, Type } from 'typebox'

/** An opaque identifier. Ours sort by the time they were made, but callers must not rely on their shape. */
export const Id = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'An opaque identifier.',
})
export type Id = Static<typeof Id>

/** The name that a user gave a record: a slug, unique within its parent. */
export const GivenId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A slug chosen by the user, unique within its parent.',
})
export type GivenId = Static<typeof GivenId>

/** The name that a user gives a new record. */
export const NewGivenId = Type.String({
  pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
  description: 'A slug of 1 to 63 lower-case letters, digits and inner hyphens, unique within its parent.',
  examples: ['web-shop'],
})

/** The path parameters of every operation on one record. */
export const IdParams = Type.Object({ id: Id }, { additionalProperties: false })
export type IdParams = Static<typeof IdParams>
