import { useQuery } from '@tanstack/react-query'
import type { Schema } from './completion.ts'

/** Fetches the published schema of a configuration, which is a static file and not an API operation. */
export function useSchema(name: 'module' | 'pipeline'): Schema | undefined {
  const { data } = useQuery({
    queryKey: ['schemas', name],
    queryFn: async ({ signal }) => (await fetch(`/schemas/${name}.json`, { signal })).json() as Promise<Schema>,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}
