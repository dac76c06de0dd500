import { type TSchema, Type } from 'typebox'

/** The wrapper of a single resource, in requests and in replies. */
export const dataOf = <T extends TSchema>(resource: T) =>
  Type.Object({ data: resource }, { additionalProperties: false, description: 'One resource in its wrapper.' })
