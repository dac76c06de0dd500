import { type TRecord, type TSchema, Type } from 'typebox'
import { ListMeta } from './list.ts'

/** Data that can be added to a resource, by its name in `?include=`. */
export type Includable = Readonly<Record<string, TSchema>>

/** Returns the query parameter with which clients request additional data. */
export const includeOf = <Names extends string[]>(...names: readonly [...Names]) => ({
  include: Type.Optional(
    Type.Array(Type.Enum(names), {
      maxItems: names.length,
      description: 'Additional data to return. Repeat the parameter for more than one.',
    }),
  ),
})

/** Returns the envelope of a single resource with the additional data. */
export const dataWith = <T extends TSchema, const I extends Includable>(resource: T, included: I) =>
  Type.Object(
    {
      data: resource,
      included: Type.Optional(
        Type.Partial(Type.Object(included), {
          additionalProperties: false,
          description: 'Data requested with `include`, by name. Absent without `include`.',
        }),
      ),
    },
    { additionalProperties: false, description: 'Envelope of a single resource with additional data.' },
  )

type ById<I extends Includable> = { [Name in keyof I]: TRecord<'^.*$', I[Name]> }

/** Returns the envelope of a list with the additional data of its resources. */
export const listWith = <T extends TSchema, const I extends Includable>(resource: T, included: I) => {
  const entries = Object.entries(included).map(([name, { description = '', ...schema }]: [string, Described]) => [
    name,
    Type.Record(Type.String(), schema, { description }),
  ])
  return Type.Object(
    {
      data: Type.Array(resource),
      meta: ListMeta,
      included: Type.Optional(
        Type.Partial(Type.Object(Object.fromEntries(entries) as ById<I>), {
          additionalProperties: false,
          description: 'Data requested with `include`, by name, then by resource ID.',
        }),
      ),
    },
    { additionalProperties: false, description: 'Page of resources with additional data, newest first.' },
  )
}

type Described = TSchema & { description?: string }
