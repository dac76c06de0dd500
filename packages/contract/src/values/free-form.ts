import { type Static, Type } from 'typebox'

const description = 'Free-form object.'

/**
 * Object whose members are defined by users or programs, such as input values, template results or error parameters.
 */
export const FreeFormObject = Type.Record(Type.String(), Type.Unknown(), { description })
export type FreeFormObject = Static<typeof FreeFormObject>

/** Returns the same schema with an example for the OpenAPI document. */
export const freeFormLike = (example: FreeFormObject) =>
  Type.Record(Type.String(), Type.Unknown(), { description, examples: [example] })
