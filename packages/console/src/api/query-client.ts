import { ApiError } from '@sluice/client'
import { QueryClient } from '@tanstack/react-query'

/** What the service refused stays refused; what did not arrive may arrive the next time. */
const isWorthARetry = (failures: number, error: Error) =>
  !(error instanceof ApiError && error.status < 500) && failures < 3

export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: isWorthARetry, staleTime: 5_000 }, mutations: { retry: false } },
})
