import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Database, type DatabaseLocation, openDatabase } from '../platform/db/open.ts'

/** Names the directory of a migrated embedded database, made once for a run of the tests. */
export const templateVariable = 'TEST_DATABASE_TEMPLATE'

/** A database of a test's own: on the server of TEST_DATABASE_URL, or embedded. */
export type TestDatabase = {
  location: DatabaseLocation
  /** On a server only. */
  url: string | undefined
  drop(): Promise<void>
}

/** `directory` is where an embedded one is to be; without, it finds a place of its own. */
export async function createTestDatabase(directory?: string): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL
  if (!server) return createEmbedded(directory ?? (await mkdtemp(join(tmpdir(), 'sluice-database-'))))
  const name = `test_${randomBytes(8).toString('hex')}`
  await onServer(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { location: { url: url.href }, url: url.href, drop: () => dropOnServer(server, name) }
}

/**
 * Not `with (force)`: that is refused to anybody but a superuser while an autovacuum worker is in the database,
 * which a drop without force sends away by itself.
 */
function dropOnServer(server: string, name: string): Promise<void> {
  return onServer(
    server,
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}' and usename = current_user`,
    `drop database ${name}`,
  )
}

async function createEmbedded(directory: string): Promise<TestDatabase> {
  const template = process.env[templateVariable]
  if (template !== undefined) await cp(template, directory, { recursive: true })
  return { location: { directory }, url: undefined, drop: () => rm(directory, { recursive: true, force: true }) }
}

/** Opens a test's own database, migrated; closing it drops it. */
export async function openTestDatabase(): Promise<Database> {
  const { location, drop } = await createTestDatabase()
  const database = await openDatabase(location)
  return {
    ...database,
    async close() {
      await database.close()
      await drop()
    },
  }
}

async function onServer(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
