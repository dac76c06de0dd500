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

/** Operations that only read: the ones that a page may ask as often as it likes. */
export type Reading = Extract<Operation, `get${string}` | `list${string}` | 'search' | 'whoami'>

type Options<O extends Reading> = Pick<UseQueryOptions<ReplyOf<O>, Error>, 'enabled' | 'refetchInterval' | 'staleTime'>

/** The answer of an operation, kept fresh. What was there before is shown until the next answer is. */
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

/** Asks before a page is drawn, so that it is drawn once, with the answer in it. What goes wrong, the page says. */
export const askAhead = <O extends Reading>(operation: O, request: RequestOf<O>): Promise<void> =>
  queryClient.prefetchQuery(questionOf(operation, request))

/** What to ask, for where several are asked at once. */
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
