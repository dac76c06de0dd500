import { type Static, type TSchema, Type } from 'typebox'

export const ListMeta = Type.Object(
  {
    limit: Type.Integer({ description: 'The page size that was applied.' }),
    nextCursor: Type.String({ description: 'The cursor of the next page; empty on the last one.' }),
    totalCount: Type.Integer({ description: 'How many resources match, on all pages together.' }),
  },
  { additionalProperties: false, description: 'Where this page lies in the whole list.' },
)
export type ListMeta = Static<typeof ListMeta>

/** The envelope of every list. */
export const listOf = <T extends TSchema>(resource: T) =>
  Type.Object(
    { data: Type.Array(resource), meta: ListMeta },
    { additionalProperties: false, description: 'One page of resources, newest first.' },
  )

export const defaultPageSize = 20
export const maxPageSize = 100

/** The query parameters of a list whose pages may be longer than those of others. */
export const pageParamsUpTo = (maximum: number) => ({
  limit: Type.Integer({
    minimum: 1,
    maximum,
    default: defaultPageSize,
    description: 'Page size.',
  }),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'The nextCursor of the page before; only good for the same list with the same filters.',
    }),
  ),
})

/** The query parameters that every other list takes; spread them into the list's own filters. */
export const pageParams = pageParamsUpTo(maxPageSize)

export const PageQuery = Type.Object(pageParams, { additionalProperties: false })
export type PageQuery = Static<typeof PageQuery>
