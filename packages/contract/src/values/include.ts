import { type TRecord, type TSchema, Type } from 'typebox'
import { ListMeta } from './list.ts'

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

type ById<I extends Includable> = { [Name in keyof I]: TRecord<'^.*$', I[Name]> }

/** The envelope of a list, and of what was asked for beside its records. */
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
          description: 'What `include` asked for, each by its name, and there by the id of the record.',
        }),
      ),
    },
    { additionalProperties: false, description: 'One page of resources, newest first, and what belongs to them.' },
  )
}

type Described = TSchema & { description?: string }
