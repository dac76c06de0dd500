import { useQuery } from '@tanstack/react-query'
import type { Schema } from './completion.ts'

/** The published schema of a configuration. It is a file of the service and not an operation of the interface. */
export function useSchema(name: 'module' | 'pipeline'): Schema | undefined {
  const { data } = useQuery({
    queryKey: ['schemas', name],
    queryFn: async ({ signal }) => (await fetch(`/schemas/${name}.json`, { signal })).json() as Promise<Schema>,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}
