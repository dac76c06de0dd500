import { type Static, Type } from 'typebox'

/** An object whose members are not ours to define: input values, template results, parameters of an error. */
export const FreeFormObject = Type.Record(Type.String(), Type.Unknown(), { description: 'A free-form object.' })
export type FreeFormObject = Static<typeof FreeFormObject>
