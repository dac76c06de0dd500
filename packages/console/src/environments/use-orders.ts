import { useQueries } from '@tanstack/react-query'
import { questionOf } from '../api/use-operation.ts'

/** Returns the configured orders of environments, as far as they are loaded. */
export function useOrders(projectIds: readonly string[]): readonly (readonly string[])[] {
  return useQueries({
    queries: projectIds.map((id) => questionOf('getEnvironmentOrder', { params: { id } })),
    combine: (answers) => answers.map(({ data }) => data?.data.order ?? []),
  })
}
