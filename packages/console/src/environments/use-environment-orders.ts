import { useQueries } from '@tanstack/react-query'
import { operationQuery } from '../api/use-operation.ts'

/** Returns the configured orders of environments, as far as they are loaded. */
export function useEnvironmentOrders(projectIds: readonly string[]): readonly (readonly string[])[] {
  return useQueries({
    queries: projectIds.map((id) => operationQuery('getEnvironmentOrder', { params: { id } })),
    combine: (answers) => answers.map(({ data }) => data?.data.order ?? []),
  })
}
