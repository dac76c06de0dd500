import type pg from 'pg'

/** Internals of pg-pool (3.14): its free connections, the last returned one last, and the function that assigns one. */
type Internals = { _idle: { client: pg.PoolClient }[]; _pulseQueue(): void }

/**
 * Takes a connection from the pool. Prefers a free one that `fits`, which needs no settings, and otherwise the one that
 * has been free for longest, since later requests may need the others. The pool itself would assign the last returned
 * one, so that connections change their settings all the time.
 */
export function connectFitting(pool: pg.Pool, fits: (client: pg.PoolClient) => boolean): Promise<pg.PoolClient> {
  const own = pool as unknown as Internals
  const { _idle: free } = own
  if (free.length === 0 || pool.waitingCount > 0) return pool.connect()
  const fitting = free.findLastIndex(({ client }) => fits(client))
  free.push(...free.splice(Math.max(0, fitting), 1))
  const connected = pool.connect()
  own._pulseQueue() // at once, before another request reorders the list
  return connected
}
