import { ApiError } from '@sluice/client'
import { QueryClient } from '@tanstack/react-query'

/** Returns whether a failed request may succeed later: errors of the API are final, network errors are not. */
export const isRetryable = (error: unknown): boolean => !(error instanceof ApiError && error.status < 500)

const shouldRetry = (failures: number, error: Error) => isRetryable(error) && failures < 3

/** Interval for refetching failed requests that a page shows. Milliseconds. */
const refetchIntervalMs = 5_000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: shouldRetry,
      staleTime: 5_000,
      refetchInterval: ({ state: { status, error } }) =>
        status === 'error' && isRetryable(error) ? refetchIntervalMs : false,
    },
    mutations: { retry: false },
  },
})

/** Refetches everything that a page shows and that failed to load, once the server responds again. */
export const refetchFailedQueries = (): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ state: { status, error } }) => status === 'error' && isRetryable(error),
  })
