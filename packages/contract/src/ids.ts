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

/** The path parameters of every operation on one record. */
export const IdParams = Type.Object({ id: Id }, { additionalProperties: false })
export type IdParams = Static<typeof IdParams>
