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
export type ReadOperation = Extract<Operation, `get${string}` | `list${string}` | 'search' | 'whoami'>

type Options<O extends ReadOperation> = Pick<
  UseQueryOptions<ReplyOf<O>, Error>,
  'enabled' | 'refetchInterval' | 'staleTime'
>

/** Fetches an operation and keeps the answer up to date. Shows the previous answer until the next one arrives. */
export function useOperation<O extends ReadOperation>(
  operation: O,
  request: RequestOf<O>,
  options: Options<O> = {},
): UseQueryResult<ReplyOf<O>, Error> {
  return useQuery<ReplyOf<O>, Error>({
    ...operationQuery(operation, request),
    placeholderData: keepPreviousData as never,
    ...options,
  })
}

/** Prefetches before a page is drawn, so that it is drawn once. The page shows errors. */
export const prefetchOperation = <O extends ReadOperation>(operation: O, request: RequestOf<O>): Promise<void> =>
  queryClient.prefetchQuery(operationQuery(operation, request))

/** Returns the query for one of several operations that are fetched together. */
export const operationQuery = <O extends ReadOperation>(operation: O, request: RequestOf<O>) =>
  queryOptions<ReplyOf<O>, Error>({
    queryKey: queryKeyOf(operation, request),
    queryFn: ({ signal }) => {
      const call = client[operation] as (request: RequestOf<O>, options: { signal: AbortSignal }) => Promise<ReplyOf<O>>
      return call(request, { signal })
    },
  })

export const queryKeyOf = <O extends keyof Client>(operation: O, request?: RequestOf<O>): readonly unknown[] =>
  request === undefined ? [operation] : [operation, request]
