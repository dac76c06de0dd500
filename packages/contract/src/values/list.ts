import { type Static, type TSchema, Type } from 'typebox'

export const ListMeta = Type.Object(
  {
    limit: Type.Integer({ description: 'Page size that was applied.' }),
    nextCursor: Type.String({ description: 'Cursor of the next page. Empty on the last page.' }),
    totalCount: Type.Integer({ description: 'Number of matching resources on all pages.' }),
  },
  { additionalProperties: false, description: 'Pagination metadata.' },
)
export type ListMeta = Static<typeof ListMeta>

/** Returns the list envelope. */
export const listOf = <T extends TSchema>(resource: T) =>
  Type.Object(
    { data: Type.Array(resource), meta: ListMeta },
    { additionalProperties: false, description: 'Page of resources, newest first.' },
  )

export const defaultPageSize = 20
export const maxPageSize = 100

/** Returns the pagination parameters with another maximum page size. */
export const pageParamsUpTo = (maximum: number) => ({
  limit: Type.Integer({
    minimum: 1,
    maximum,
    default: defaultPageSize,
    description: 'Maximum number of resources per page.',
  }),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: '`nextCursor` of the previous page. Valid only for the same list with the same filters.',
    }),
  ),
})

/** Pagination parameters with the usual maximum page size. */
export const pageParams = pageParamsUpTo(maxPageSize)

export const PageQuery = Type.Object(pageParams, { additionalProperties: false })
export type PageQuery = Static<typeof PageQuery>
