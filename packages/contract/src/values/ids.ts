import { type Static, Type } from 'typebox'

/** Opaque identifier. Generated IDs sort by creation time, but clients must not rely on their format. */
export const Id = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Opaque identifier.',
})
export type Id = Static<typeof Id>

/** Identifier given by a user: a slug, unique within its parent. */
export const GivenId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Slug chosen by a user, unique within its parent.',
})
export type GivenId = Static<typeof GivenId>

/** Identifier given by a user for a new resource. */
export const NewGivenId = Type.String({
  pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
  description: 'Slug of 1 to 63 lower-case letters, digits and inner hyphens, unique within its parent.',
  examples: ['web-shop'],
})

/** Path parameters of operations on one resource. */
export const IdParams = Type.Object({ id: Id }, { additionalProperties: false })
export type IdParams = Static<typeof IdParams>
