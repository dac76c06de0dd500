import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../testing/database.ts'
import { eventually } from '../../testing/eventually.ts'
import { type Line, portTo } from '../../testing/port-to.ts'
import { DatabaseUnavailable } from './away.ts'
import { sql } from './drizzle.ts'
import { openDatabase } from './open.ts'
import { closeDeadConnections } from './vanished.ts'

/** Short enough for a test, and long enough for a server that is busy with others. Milliseconds. */
const patience = { silenceMs: 300, lookEveryMs: 100, lookMs: 2_000 }
type Place = { host: string; port: number }
type Through = Pick<Line, 'port' | 'close'>

const slow = 'select pg_sleep(1.5), 1 as one'
const { TEST_DATABASE_URL } = process.env

test('a statement may be silent for longer than it takes to look after it', async ({ skip }) => {
  skip(TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const { pool } = await poolThroughLine(portTo)
  const { rows } = await pool.query(slow)
  expect(rows).toMatchObject([{ one: 1 }])
  expect(pool.totalCount, 'connections').toBe(1)
})

test('a process that hangs in a transaction keeps its locks for no longer than 15 s', async ({ skip }) => {
  skip(TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const { location, drop } = await createTestDatabase()
  onTestFinished(drop)
  const database = await openDatabase(location)
  onTestFinished(() => database.close())
  const lock = sql`select pg_advisory_xact_lock(4711)`
  const isLocked = Promise.withResolvers<void>()
  const isAwake = Promise.withResolvers<void>()
  const hung = database.db.transaction(async (tx) => {
    await tx.execute(lock)
    isLocked.resolve()
    await isAwake.promise
    await tx.execute(sql`select 1`)
  })
  hung.catch(() => {}) // it is awaited below
  await isLocked.promise
  await database.db.transaction((tx) => tx.execute(lock)) // see idle_in_transaction_session_timeout in vanished.ts
  isAwake.resolve()
  await expect(hung).rejects.toThrow()
})

test('a connection that something in between forgot ends, and the next statement has another one', async ({ skip }) => {
  skip(TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const { pool, line } = await poolThroughLine(portTo)
  await pool.query('select 1')
  line.forget()
  await expect(pool.query('select 2')).rejects.toThrow(DatabaseUnavailable)
  expect((await pool.query('select 3 as three')).rows).toEqual([{ three: 3 }])
})

test('while a lost server does not respond, waiting statements fail', async ({ skip }) => {
  skip(TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const { pool, line } = await poolThroughLine(portTo)
  const client = await pool.connect()
  await client.query('begin')
  const mute = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void mute.close())
  await once(mute, 'listening')
  line.lead({ host: '127.0.0.1', port: (mute.address() as AddressInfo).port })
  line.forget()
  await expect(client.query(slow)).rejects.toThrow(DatabaseUnavailable)
  client.release(true)
  await eventually(
    'the connection to be given up',
    async () => pool.totalCount,
    (count) => count === 0,
  )
})

test('behind a pooler with its own process IDs, a slow statement continues', async ({ skip }) => {
  skip(TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const { pool } = await poolThroughLine(poolerTo)
  const { rows } = await pool.query(slow)
  expect(rows).toMatchObject([{ one: 1 }])
  expect(pool.totalCount, 'connections').toBe(1)
})

/** Says of each connection that another process of the server is at its end ("BackendKeyData" of the protocol). */
async function poolerTo(place: Place): Promise<Through> {
  const keyData = Buffer.from([0x4b, 0, 0, 0, 12])
  const server = createServer((from) => {
    const to = connect(place)
    to.on('data', (data) => {
      const at = data.indexOf(keyData)
      if (at >= 0) data.writeInt32BE(1, at + keyData.length)
      from.write(data)
    })
    from.pipe(to)
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const)
      one.on('error', () => {}).once('close', () => other.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}

async function poolThroughLine<L extends Through>(lineTo: (place: Place) => Promise<L>) {
  const { url = '', drop } = await createTestDatabase()
  const { hostname, port } = new URL(url)
  const line = await lineTo({ host: hostname, port: Number(port) })
  const place = new URL(url)
  place.port = String(line.port)
  const pool = new pg.Pool({ connectionString: place.href })
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}))
  closeDeadConnections(pool, { connectionString: place.href }, patience)
  onTestFinished(async () => {
    await pool.end()
    line.close()
    await drop()
  })
  return { pool, line }
}
