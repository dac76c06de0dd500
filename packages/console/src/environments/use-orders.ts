import { useQueries } from '@tanstack/react-query'
import { questionOf } from '../api/use-operation.ts'

/** The orders that teams set for the environments of their projects, as far as they are known. */
export function useOrders(projectIds: readonly string[]): readonly (readonly string[])[] {
  return useQueries({
    queries: projectIds.map((id) => questionOf('getEnvironmentOrder', { params: { id } })),
    combine: (answers) => answers.map(({ data }) => data?.data.order ?? []),
  })
}
