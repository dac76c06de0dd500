import type { ReplyOf } from '@sluice/client'
import type { Service, ServiceHealth } from '@sluice/contract'
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { operationQuery } from '../api/use-operation.ts'
import { healthRequests } from './health-requests.ts'

/** The server caches answers for ten seconds. Milliseconds. */
const everyMs = 15_000

/** Returns the health of the visible services by instance ID. */
export function useHealth(
  services: readonly Service[],
  shown: readonly number[],
): Readonly<Record<string, ServiceHealth>> {
  return useQueries({
    queries: healthRequests(services, shown).map((ids) => ({
      ...operationQuery('listServiceHealth', { query: { ids } }),
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
