import type pg from 'pg'

/** What pg-pool (3.14) calls its own: its free connections, the last to come back last, and giving one of them out. */
type Internals = { _idle: { client: pg.PoolClient }[]; _pulseQueue(): void }

/**
 * Takes a connection of the pool. Of several that are free it is one that `fits`, for which nothing has to be set; else
 * the one that nobody has wanted for longest, as the others may fit who comes next. The pool by itself gives out the
 * one that came back last, whoever asks, so that connections change hands all the time.
 */
export function connectFitting(pool: pg.Pool, fits: (client: pg.PoolClient) => boolean): Promise<pg.PoolClient> {
  const own = pool as unknown as Internals
  const { _idle: free } = own
  if (free.length === 0 || pool.waitingCount > 0) return pool.connect()
  const fitting = free.findLastIndex(({ client }) => fits(client))
  free.push(...free.splice(Math.max(0, fitting), 1))
  const connected = pool.connect()
  own._pulseQueue() // now: by the next turn of the loop, somebody else may have had the last one laid out for them
  return connected
}
