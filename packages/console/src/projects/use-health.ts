import type { ReplyOf } from '@sluice/client'
import type { Service, ServiceHealth } from '@sluice/contract'
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { questionOf } from '../api/use-operation.ts'
import { askedFor } from './asked-for.ts'

/** An answer is the same for ten seconds, whoever asks. Milliseconds. */
const everyMs = 15_000

/** How the tasks of services are now, by the ids of their instances: of the rows that are shown. */
export function useHealth(
  services: readonly Service[],
  shown: readonly number[],
): Readonly<Record<string, ServiceHealth>> {
  return useQueries({
    queries: askedFor(services, shown).map((ids) => ({
      ...questionOf('listServiceHealth', { query: { ids } }),
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
