import { ApiError } from '@sluice/client'
import { QueryClient } from '@tanstack/react-query'

/** Returns whether a failed request may succeed later: errors of the API are final, network errors are not. */
export const mayPass = (error: unknown): boolean => !(error instanceof ApiError && error.status < 500)

const isWorthARetry = (failures: number, error: Error) => mayPass(error) && failures < 3

/** Interval for refetching failed requests that a page shows. Milliseconds. */
const askAgainMs = 5_000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: isWorthARetry,
      staleTime: 5_000,
      refetchInterval: ({ state: { status, error } }) => (status === 'error' && mayPass(error) ? askAgainMs : false),
    },
    mutations: { retry: false },
  },
})

/** Refetches everything that a page shows and that failed to load, once the server responds again. */
export const askForMissing = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ state: { status, error } }) => status === 'error' && mayPass(error) })
