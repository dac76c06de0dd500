import type { Query, QueryClient } from '@tanstack/react-query'

/**
 * Refetches queries that a change affects. TanStack Query treats a pending first fetch as fresh, but the server may
 * have read before the change. Such a query is refetched when it settles.
 */
export function refetchAffected(client: QueryClient, isConcerned: (queryKey: readonly unknown[]) => boolean): void {
  const predicate = ({ queryKey }: Query) => isConcerned(queryKey)
  const awaited = client
    .getQueryCache()
    .findAll({ predicate })
    .filter(({ state }) => state.data === undefined && state.fetchStatus !== 'idle')
  client.invalidateQueries({ predicate })
  for (const { promise, queryKey } of awaited) {
    promise?.then(
      () => client.invalidateQueries({ queryKey, exact: true }),
      () => {}, // its page says what went wrong
    )
  }
}
