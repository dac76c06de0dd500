import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { sql } from 'drizzle-orm'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { migrate as migratePg } from 'drizzle-orm/node-postgres/migrator'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite'
import { migrate as migratePglite } from 'drizzle-orm/pglite/migrator'
import pg from 'pg'
import { PgliteOfOrganization, PoolOfOrganization, remembered, tenantPoolConfig } from './organization.ts'

/** The database or a transaction in it: one type for PostgreSQL and for the embedded PGlite. */
export type Db = PgDatabase<PgQueryResultHKT, Record<string, never>>

export type Database = {
  /** Sees every organization: for the engine's handlers, signing in, and what else comes before an organization is known. */
  db: Db
  /** Sees one organization: the database itself withholds the rows of all others, whatever the query says. */
  ofOrganization(organizationId: string): Db
  close(): Promise<void>
}

/** Where the data lives: a PostgreSQL server, or a directory for the embedded database (`memory` for tests). */
export type DatabaseLocation = { url: string } | { directory: string } | 'memory'

const migrationsFolder = fileURLToPath(new URL('../../../migrations', import.meta.url))

/**
 * Opens the database and brings its schema up to date. Several processes may start at once: on PostgreSQL an advisory
 * lock lets one of them migrate while the others wait.
 */
export async function openDatabase(location: DatabaseLocation): Promise<Database> {
  if (typeof location === 'object' && 'url' in location) return openServer(location.url)
  return openEmbedded(location)
}

// Any number no other program is likely to lock; it only has to be the same in every Sluice process.
const migrationLock = 5_815_721_042n

const poolConfig = (connectionString: string) => ({ connectionString, max: 20, connectionTimeoutMillis: 10_000 })

async function openServer(url: string): Promise<Database> {
  const pool = openPool(poolConfig(url))
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await migratePg(drizzlePg(client), { migrationsFolder })
  } finally {
    await client.query('select pg_advisory_unlock($1)', [migrationLock]).catch(() => {})
    client.release()
  }
  const tenants = openPool({ ...poolConfig(url), ...tenantPoolConfig })
  return {
    db: drizzlePg(pool) as unknown as Db,
    ofOrganization: remembered((id) => drizzlePg(new PoolOfOrganization(tenants, id).asPool()) as unknown as Db),
    close: async () => {
      await Promise.all([pool.end(), tenants.end()])
    },
  }
}

function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config)
  // Without a listener, a connection that the server closes while idle would end the process; the pool replaces it.
  pool.on('error', () => {})
  return pool
}

async function openEmbedded(location: { directory: string } | 'memory'): Promise<Database> {
  if (location !== 'memory') await mkdir(location.directory, { recursive: true, mode: 0o700 })
  const client = await PGlite.create(location === 'memory' ? 'memory://' : location.directory)
  const db = drizzlePglite(client)
  await migratePglite(db, { migrationsFolder })
  return {
    db: db as unknown as Db,
    ofOrganization: remembered((id) => drizzlePglite(new PgliteOfOrganization(client, id).asPglite()) as unknown as Db),
    close: () => client.close(),
  }
}

/** Whether the database answers. */
export async function databaseAnswers(db: Db): Promise<boolean> {
  try {
    await db.execute(sql`select 1`)
    return true
  } catch {
    return false
  }
}
