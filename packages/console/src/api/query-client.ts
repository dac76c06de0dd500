import { ApiError } from '@sluice/client'
import { QueryClient } from '@tanstack/react-query'

/** What the service refused stays refused; what did not arrive may arrive the next time. */
export const mayPass = (error: unknown): boolean => !(error instanceof ApiError && error.status < 500)

const isWorthARetry = (failures: number, error: Error) => mayPass(error) && failures < 3

/** How often that is asked for again which a page shows and could not be had. Milliseconds. */
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

/** Asks at once for all that a page shows and could not be had: the service is back. */
export const askForMissing = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ state: { status, error } }) => status === 'error' && mayPass(error) })
