import type { ReplyOf } from '@sluice/client'
import type { ServiceHealth, ServiceInEnvironment } from '@sluice/contract'
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { operationQuery } from '../api/use-operation.ts'
import { useHealth } from './use-health.ts'

/** Maximum number of module instances per request. */
const maxInstancesPerRequest = 60

/** Splits the IDs into requests: each ID once and in order, so that pages that show the same share an answer. */
export function requestsOf(ids: readonly string[]): string[][] {
  const sorted = [...new Set(ids)].sort()
  const count = Math.ceil(sorted.length / maxInstancesPerRequest)
  return Array.from({ length: count }, (_, index) =>
    sorted.slice(index * maxInstancesPerRequest, (index + 1) * maxInstancesPerRequest),
  )
}

export type ServiceStates = {
  places: Readonly<Record<string, ServiceInEnvironment>>
  healths: Readonly<Record<string, ServiceHealth>>
}

/** Returns the state and the health of module instances by ID, as far as they are loaded. */
export function useServiceStates(ids: readonly string[]): ServiceStates {
  const requests = requestsOf(ids)
  const places = useQueries({
    queries: requests.map((ids) => operationQuery('listServiceStates', { query: { ids } })),
    combine: byInstance,
  })
  return { places, healths: useHealth(requests) }
}

const byInstance = (
  answers: readonly UseQueryResult<ReplyOf<'listServiceStates'>>[],
): Record<string, ServiceInEnvironment> =>
  Object.fromEntries(answers.flatMap(({ data }) => (data?.data ?? []).map((place) => [place.moduleInstanceId, place])))
