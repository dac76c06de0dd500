import { randomBytes } from 'node:crypto'
import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type Database, type DatabaseLocation, openDatabase } from '../platform/db/open.ts'
import { fastFolder } from './folders.ts'
import { watchChanges } from './watched-changes.ts'

/** Variable with the migrated template database of this test run: a directory, or a name on the server. */
export const templateVariable = 'TEST_DATABASE_TEMPLATE'

/** Variable with the name prefix of this run's databases on a server. */
const runVariable = 'TEST_DATABASE_PREFIX'

/** Database of one test: on the server of TEST_DATABASE_URL, or embedded. */
export type TestDatabase = {
  location: DatabaseLocation
  /** Set only for a server. */
  url: string | undefined
  drop(): Promise<void>
}

/** Creates a database, migrated if the tests were started with a template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL
  if (server) return createOnServer(server, process.env[templateVariable])
  const database = await createEmbedded()
  copyTemplate(database.location.directory)
  return database
}

/** Creates a database without tables. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL
  return server ? createOnServer(server) : createEmbedded()
}

/** Chooses the name prefix of this run. Called by the main process before all tests. */
export function nameThisRun(): void {
  process.env[runVariable] = `test_${randomBytes(8).toString('hex')}_`
}

/** Drops the remaining databases of this run on a server, such as those of shared test environments. */
export async function dropAllOfThisRun(): Promise<void> {
  const server = process.env.TEST_DATABASE_URL
  const prefix = process.env[runVariable]
  if (!server || prefix === undefined) return
  for (const name of await databasesOf(server, prefix)) await dropOnServer(server, name)
}

async function createOnServer(server: string, template = 'template1') {
  const name = `${process.env[runVariable] ?? 'test_'}${randomBytes(8).toString('hex')}`
  await onServer(server, `create database ${name} template ${template}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { location: { url: url.href }, url: url.href, drop: () => dropOnServer(server, name) }
}

/**
 * Without `force`, which requires a superuser while an autovacuum worker is active; an ordinary drop stops that worker.
 */
function dropOnServer(server: string, name: string): Promise<void> {
  return onServer(
    server,
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}' and usename = current_user`,
    `drop database ${name}`,
  )
}

async function databasesOf(server: string, prefix: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    const found = await client.query('select datname from pg_database where starts_with(datname, $1)', [prefix])
    return found.rows.map(({ datname }) => datname)
  } finally {
    await client.end()
  }
}

async function createEmbedded() {
  const directory = await mkdtemp(join(fastFolder(), 'database-'))
  const drop = () => rm(directory, { recursive: true, force: true })
  return { location: { directory }, url: undefined, drop }
}

/** Copies the migrated embedded database to the directory. */
export function copyTemplate(directory: string): void {
  const template = process.env[templateVariable]
  if (template === undefined || process.env.TEST_DATABASE_URL) return
  // Synchronous, because asynchronous copies of 1,400 small files take several times as long.
  cpSync(template, directory, { recursive: true })
}

/** Opens a migrated database for one test. Closing it drops it. */
export async function openTestDatabase(): Promise<Database> {
  const { location, drop } = await createTestDatabase()
  const database = await openDatabase(location)
  const unwatch = watchChanges(database.db)
  return {
    ...database,
    async close() {
      unwatch()
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
