import { type TSchema, Type } from 'typebox'

/** Envelope of a single resource in requests and responses. */
export const dataOf = <T extends TSchema>(resource: T) =>
  Type.Object({ data: resource }, { additionalProperties: false, description: 'Envelope of a single resource.' })
