import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { type Database, openDatabase } from '../platform/db/open.ts'

/** An empty database of a test's own: on the server of TEST_DATABASE_URL, or (`url` absent) the embedded one. */
export type TestDatabase = { url: string | undefined; drop(): Promise<void> }

export async function createTestDatabase(): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL
  if (!server) return { url: undefined, drop: async () => {} }
  const name = `test_${randomBytes(8).toString('hex')}`
  await onServer(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => onServer(server, `drop database ${name} with (force)`) }
}

/** Opens a test's own database, migrated; closing it drops it. */
export async function openTestDatabase(): Promise<Database> {
  const { url, drop } = await createTestDatabase()
  const database = await openDatabase(url === undefined ? 'memory' : { url })
  return {
    db: database.db,
    async close() {
      await database.close()
      await drop()
    },
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
