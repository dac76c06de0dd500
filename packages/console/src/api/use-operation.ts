import type { Client, Operation, ReplyOf, RequestOf } from '@sluice/client'
import {
  keepPreviousData,
  queryOptions,
  type UseQueryOptions,
  type UseQueryResult,
  useQuery,
} from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

/** Read-only operations, which pages can call at any time. */
export type Reading = Extract<Operation, `get${string}` | `list${string}` | 'search' | 'whoami'>

type Options<O extends Reading> = Pick<UseQueryOptions<ReplyOf<O>, Error>, 'enabled' | 'refetchInterval' | 'staleTime'>

/** Fetches an operation and keeps the answer up to date. Shows the previous answer until the next one arrives. */
export function useOperation<O extends Reading>(
  operation: O,
  request: RequestOf<O>,
  options: Options<O> = {},
): UseQueryResult<ReplyOf<O>, Error> {
  return useQuery<ReplyOf<O>, Error>({
    ...questionOf(operation, request),
    placeholderData: keepPreviousData as never,
    ...options,
  })
}

/** Prefetches before a page is drawn, so that it is drawn once. The page shows errors. */
export const askAhead = <O extends Reading>(operation: O, request: RequestOf<O>): Promise<void> =>
  queryClient.prefetchQuery(questionOf(operation, request))

/** Returns the query for one of several operations that are fetched together. */
export const questionOf = <O extends Reading>(operation: O, request: RequestOf<O>) =>
  queryOptions<ReplyOf<O>, Error>({
    queryKey: keyOf(operation, request),
    queryFn: ({ signal }) => {
      const call = client[operation] as (request: RequestOf<O>, options: { signal: AbortSignal }) => Promise<ReplyOf<O>>
      return call(request, { signal })
    },
  })

export const keyOf = <O extends keyof Client>(operation: O, request?: RequestOf<O>): readonly unknown[] =>
  request === undefined ? [operation] : [operation, request]
