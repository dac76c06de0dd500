import type { Client, Operation, ReplyOf, RequestOf } from '@sluice/client'
import { keepPreviousData, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { client } from './client.ts'

/** How often a page that shows something under way asks anew. */
export const followMs = 2_000

/** Operations that only read: the ones that a page may ask as often as it likes. */
export type Reading = Extract<Operation, `get${string}` | `list${string}` | 'whoami'>

type Options<O extends Reading> = Pick<UseQueryOptions<ReplyOf<O>, Error>, 'enabled' | 'refetchInterval' | 'staleTime'>

/** The answer of an operation, kept fresh. What was there before is shown until the next answer is. */
export function useOperation<O extends Reading>(
  operation: O,
  request: RequestOf<O>,
  options: Options<O> = {},
): UseQueryResult<ReplyOf<O>, Error> {
  return useQuery<ReplyOf<O>, Error>({
    queryKey: keyOf(operation, request),
    queryFn: ({ signal }) => {
      const call = client[operation] as (request: RequestOf<O>, options: { signal: AbortSignal }) => Promise<ReplyOf<O>>
      return call(request, { signal })
    },
    placeholderData: keepPreviousData as never,
    ...options,
  })
}

export const keyOf = <O extends keyof Client>(operation: O, request?: RequestOf<O>): readonly unknown[] =>
  request === undefined ? [operation] : [operation, request]
