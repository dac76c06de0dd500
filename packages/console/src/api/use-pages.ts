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
import { keyOf, type Reading } from './use-operation.ts'

export type Page<T> = { data: T[]; meta: ListMeta }

/** Operations that answer page by page. */
export type Listing = { [O in Reading]: ReplyOf<O> extends Page<unknown> ? O : never }[Reading]

export type Item<O extends Listing> = ReplyOf<O> extends Page<infer T> ? T : never

/** A page as an operation answers with it, with what was asked for beside its records. */
type PageOf<O extends Listing> = Page<Item<O>> & Pick<ReplyOf<O>, Extract<keyof ReplyOf<O>, 'included'>>

type Options = { enabled?: boolean }

/** The most that the service puts on a page of most lists. */
const pageSize = 100

/** A list that a person reads from its beginning, a page at a time. */
export function usePages<O extends Listing>(
  operation: O,
  query: RequestOf<O>['query'],
  options: Options = {},
): UseInfiniteQueryResult<InfiniteData<PageOf<O>>, Error> {
  return useInfiniteQuery({
    queryKey: [...keyOf(operation, { query } as RequestOf<O>), 'pages'],
    queryFn: ({ pageParam, signal }) => askForPage(operation, { ...query, ...after(pageParam) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ meta }) => meta.nextCursor || undefined,
    ...options,
  })
}

/** A whole list, for what must be seen or searched as one: the steps of a run, the members of an organization. */
export function useWhole<O extends Listing>(
  operation: O,
  query: RequestOf<O>['query'],
): UseQueryResult<Item<O>[], Error> {
  return useQuery({
    queryKey: [...keyOf(operation, { query } as RequestOf<O>), 'whole'],
    queryFn: ({ signal }) => readWhole(operation, query, signal),
  })
}

/** All records of a list, page after page. */
export async function readWhole<O extends Listing>(
  operation: O,
  query: RequestOf<O>['query'],
  signal: AbortSignal,
): Promise<Item<O>[]> {
  const pages = await readAllPages(operation, query, signal)
  return pages.flatMap((page: Page<Item<O>>) => page.data)
}

/** All pages of a list, one after the other, with what was asked for beside their records. */
export async function readAllPages<O extends Listing>(
  operation: O,
  query: RequestOf<O>['query'],
  signal: AbortSignal,
): Promise<PageOf<O>[]> {
  const pages: PageOf<O>[] = []
  let cursor = ''
  do {
    const page: PageOf<O> = await askForPage(operation, { limit: pageSize, ...query, ...after(cursor) }, signal)
    pages.push(page)
    cursor = page.meta.nextCursor
  } while (cursor !== '')
  return pages
}

const after = (cursor: string) => (cursor === '' ? {} : { cursor })

function askForPage<O extends Listing>(operation: O, query: object, signal: AbortSignal): Promise<PageOf<O>> {
  const call = client[operation] as (request: unknown, options: { signal: AbortSignal }) => Promise<PageOf<O>>
  return call({ query }, { signal })
}
