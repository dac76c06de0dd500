import { existsSync } from 'node:fs'
import pg from 'pg'
import { drizzlePostgres, sql } from './drizzle.ts'
import { openEmbeddedPool } from './embedded.ts'
import { type DatabaseLocation, type Db, throwConnectionRejected } from './open.ts'

/** Runs an operation on the database without changing its schema or roles. */
export async function inspectDatabase<T>(location: DatabaseLocation, work: (db: Db) => Promise<T>): Promise<T> {
  if ('directory' in location) {
    const { pool, close } = await openEmbeddedPool(location)
    return work(drizzlePostgres(pool) as unknown as Db).finally(close)
  }
  const client = new pg.Client({ connectionString: location.url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {}) // a lost connection fails the statement, not the process
  await client.connect().catch((cause: Error) => throwConnectionRejected(location.url, cause))
  return work(drizzlePostgres(client) as unknown as Db).finally(() => client.end())
}

/** Reports whether there is a database. A server always has one, as its URL names it. */
export const databaseExists = (location: DatabaseLocation): boolean =>
  'url' in location || existsSync(location.directory)

export type DatabaseState = {
  /** Version of PostgreSQL, such as `15.18`. */
  version: string
  /** Whether the tables of Sluice exist. */
  hasSchema: boolean
}

export async function stateOf(db: Db): Promise<DatabaseState> {
  const { rows } = (await db.execute(
    sql`select current_setting('server_version') as version,
      to_regclass('drizzle.__drizzle_migrations') is not null as "hasSchema"`,
  )) as unknown as { rows: { version: string; hasSchema: boolean }[] }
  const [{ version = '', hasSchema = false } = {}] = rows
  return { version: version.split(' ')[0] ?? '', hasSchema }
}
