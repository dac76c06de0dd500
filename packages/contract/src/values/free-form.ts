import { type Static, Type } from 'typebox'

const description = 'A free-form object.'

/** An object whose members are not ours to define: input values, template results, parameters of an error. */
export const FreeFormObject = Type.Record(Type.String(), Type.Unknown(), { description })
export type FreeFormObject = Static<typeof FreeFormObject>

/** The same, with an example for the description of the interface. */
export const freeFormLike = (example: FreeFormObject) =>
  Type.Record(Type.String(), Type.Unknown(), { description, examples: [example] })
