import type { Query, QueryClient } from '@tanstack/react-query'

/**
 * Asks again for answers that may be others since a change. The library takes one that is awaited for the first time
 * for new enough; but the service may have read it before the change, so it is asked for again when it is there.
 */
export function renew(client: QueryClient, isConcerned: (queryKey: readonly unknown[]) => boolean): void {
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
