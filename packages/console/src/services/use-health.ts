import type { ReplyOf } from '@sluice/client'
import type { ServiceHealth } from '@sluice/contract'
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { operationQuery } from '../api/use-operation.ts'

/** The server caches answers for ten seconds. Milliseconds. */
const everyMs = 15_000

/** Returns the health of services by instance ID; each request has the IDs of one query. */
export function useHealth(requests: readonly (readonly string[])[]): Readonly<Record<string, ServiceHealth>> {
  return useQueries({
    queries: requests.map((ids) => ({
      ...operationQuery('listServiceHealth', { query: { ids: [...ids] } }),
      refetchInterval: everyMs,
      staleTime: everyMs,
    })),
    combine: byInstance,
  })
}

const byInstance = (answers: readonly UseQueryResult<ReplyOf<'listServiceHealth'>>[]): Record<string, ServiceHealth> =>
  Object.fromEntries(
    answers.flatMap(({ data }) => (data?.data ?? []).map((health) => [health.moduleInstanceId, health])),
  )
