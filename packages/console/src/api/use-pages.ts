import type { ReplyOf, RequestOf } from '@sluice/client'
import type { ListMeta } from '@sluice/contract'
import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { client } from './client.ts'
import { queryKeyOf, type ReadOperation } from './use-operation.ts'

export type Page<T> = { data: T[]; meta: ListMeta }

/** Operations with paginated answers. */
export type ListOperation = { [O in ReadOperation]: ReplyOf<O> extends Page<unknown> ? O : never }[ReadOperation]

export type Item<O extends ListOperation> = ReplyOf<O> extends Page<infer T> ? T : never

/** A page of an operation, including related records. */
type PageOf<O extends ListOperation> = Page<Item<O>> & Pick<ReplyOf<O>, Extract<keyof ReplyOf<O>, 'included'>>

type Options = { enabled?: boolean }

/** Maximum page size of most lists. */
const pageSize = 100

/** Fetches a list page by page, on demand. */
export function usePages<O extends ListOperation>(
  operation: O,
  query: RequestOf<O>['query'],
  options: Options = {},
): UseInfiniteQueryResult<InfiniteData<PageOf<O>>, Error> {
  return useInfiniteQuery({
    queryKey: [...queryKeyOf(operation, { query } as RequestOf<O>), 'pages'],
    queryFn: ({ pageParam, signal }) => fetchPage(operation, { ...query, ...nextCursor(pageParam) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ meta }) => meta.nextCursor || undefined,
    ...options,
  })
}

/** Fetches a complete list that must be shown or searched as a whole. */
export function useCompleteList<O extends ListOperation>(
  operation: O,
  query: RequestOf<O>['query'],
  options: Options = {},
): UseQueryResult<Item<O>[], Error> {
  return useQuery({
    queryKey: [...queryKeyOf(operation, { query } as RequestOf<O>), 'whole'],
    queryFn: ({ signal }) => readCompleteList(operation, query, signal),
    ...options,
  })
}

/** Reads all records of a list, page by page. */
export async function readCompleteList<O extends ListOperation>(
  operation: O,
  query: RequestOf<O>['query'],
  signal: AbortSignal,
): Promise<Item<O>[]> {
  const pages = await readAllPages(operation, query, signal)
  return pages.flatMap((page: Page<Item<O>>) => page.data)
}

/** Yields all pages of a list with their related records. */
export async function readAllPages<O extends ListOperation>(
  operation: O,
  query: RequestOf<O>['query'],
  signal: AbortSignal,
): Promise<PageOf<O>[]> {
  const pages: PageOf<O>[] = []
  let cursor = ''
  do {
    const page: PageOf<O> = await fetchPage(operation, { limit: pageSize, ...query, ...nextCursor(cursor) }, signal)
    pages.push(page)
    cursor = page.meta.nextCursor
  } while (cursor !== '')
  return pages
}

const nextCursor = (cursor: string) => (cursor === '' ? {} : { cursor })

function fetchPage<O extends ListOperation>(operation: O, query: object, signal: AbortSignal): Promise<PageOf<O>> {
  const call = client[operation] as (request: unknown, options: { signal: AbortSignal }) => Promise<PageOf<O>>
  return call({ query }, { signal })
}
