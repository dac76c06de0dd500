import { type TSchema, Type } from 'typebox'

/** What may come beside a record, by the name that `?include=` asks for it. */
export type Includable = Readonly<Record<string, TSchema>>

/** The query of an operation that answers with more than the record when it is asked to. */
export const includeOf = <Names extends string[]>(...names: readonly [...Names]) => ({
  include: Type.Optional(
    Type.Array(Type.Enum(names), {
      maxItems: names.length,
      description: 'What to answer beside the record; repeat the parameter for more than one.',
    }),
  ),
})

/** The wrapper of a single resource, and of what was asked for beside it. */
export const dataWith = <T extends TSchema, const I extends Includable>(resource: T, included: I) =>
  Type.Object(
    {
      data: resource,
      included: Type.Optional(
        Type.Partial(Type.Object(included), {
          additionalProperties: false,
          description: 'What `include` asked for, each by its name; absent where it asked for nothing.',
        }),
      ),
    },
    { additionalProperties: false, description: 'One resource in its wrapper, and what belongs to it.' },
  )
