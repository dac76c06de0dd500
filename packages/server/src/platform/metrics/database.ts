import type pg from 'pg'
import { Gauge } from 'prom-client'
import type { Metrics } from './metrics.ts'

/** Counts statements and connections of the pools. The embedded database has no pools. */
export function measurePools({ registry, statements }: Metrics, pools: readonly pg.Pool[]): void {
  for (const pool of pools) pool.on('connect', (client) => countStatements(client, () => statements.inc()))
  const sum = (of: (pool: pg.Pool) => number) => pools.reduce((total, pool) => total + of(pool), 0)
  new Gauge({
    name: 'sluice_database_connections',
    help: 'Connections of this process to a PostgreSQL server: open, idle of them, and how many wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set(
        { state: 'open' },
        sum(({ totalCount }) => totalCount),
      )
      this.set(
        { state: 'idle' },
        sum(({ idleCount }) => idleCount),
      )
      this.set(
        { state: 'waited_for' },
        sum(({ waitingCount }) => waitingCount),
      )
    },
  })
}

function countStatements(client: pg.PoolClient, count: () => void): void {
  const { query } = client
  Object.defineProperty(client, 'query', {
    value(...args: unknown[]) {
      count()
      return Reflect.apply(query, client, args)
    },
  })
}
