import type { Client } from '@sluice/client'
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { queryClient } from './query-client.ts'
import { queryKeyOf } from './use-operation.ts'

/** Runs a mutation. The operations in `shows` are refetched before the mutation counts as done. */
export function useApiMutation<Given, Answer>(
  change: (given: Given) => Promise<Answer>,
  shows: readonly (keyof Client)[],
  onDone?: (answer: Answer) => unknown,
): UseMutationResult<Answer, Error, Given> {
  return useMutation({
    mutationFn: change,
    onSuccess: async (answer) => {
      await Promise.all(shows.map((operation) => queryClient.invalidateQueries({ queryKey: queryKeyOf(operation) })))
      await onDone?.(answer)
    },
  })
}
