import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../testing/database.ts'
import { portTo } from '../../testing/port-to.ts'
import { startWorld } from '../../testing/world.ts'
import { DatabaseUnavailable, databaseUnavailableReason, wrapConnectionError } from './away.ts'
import { DrizzleQueryError } from './drizzle.ts'

const away = { status: 503, body: { code: 'Sluice:Server:UNAVAILABLE' } }

test('while the database is away, requests are told to come back: 503 with retry-after; then all is as before', async ({
  skip,
}) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const { url = '', drop } = await createTestDatabase()
  onTestFinished(drop)
  const server = { host: new URL(url).hostname, port: Number(new URL(url).port) }
  const line = await portTo(server)
  onTestFinished(() => line.close())
  const place = new URL(url)
  place.port = String(line.port)
  await using world = await startWorld({ env: { DATABASE_URL: place.href } })
  const { client } = await world.organization()
  const create = () =>
    client.send('POST', '/projects', {
      json: JSON.stringify({ data: { name: 'Kiosk', givenId: 'kiosk' } }),
      headers: { 'idempotency-key': 'once' },
    })

  line.lead()
  line.cut()
  for (const path of ['/projects', '/pipelines', '/deployments']) {
    const { status, headers } = await client.send('GET', path, {})
    expect({ path, status, retryAfter: headers.get('retry-after') }).toEqual({ path, status: 503, retryAfter: '2' })
  }
  expect(await create()).toMatchObject(away)

  line.lead(server)
  const made = await create()
  expect(made.status).toBe(201)
  expect(await create()).toMatchObject({ body: made.body })
})

test.for(['pg_terminate_backend(pg_backend_pid())', `pg_sleep(60)`])(
  'what the administrator ends while it runs is a matter of the database: %s',
  async (call, { skip }) => {
    skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
    const { url = '', drop } = await createTestDatabase()
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    const failed = client.query(`select ${call}`).catch((error: Error) => error)
    if (call.includes('sleep')) await drop() // ends who is in it
    expect(databaseUnavailableReason(new DrizzleQueryError('select', [], (await failed) as Error))).toMatch(/./)
    await client.end().catch(() => {})
    if (!call.includes('sleep')) await drop()
  },
)

const ofServer = (code: string) => Object.assign(new Error('as the server says it'), { severity: 'ERROR', code })
const ofSystem = (code: string) => Object.assign(new Error(code), { code })

test.for([
  ['57P01', true],
  ['57P03', true],
  ['53300', true],
  ['25006', true],
  ['08006', true],
  ['57014', false], // a statement that was cancelled
  ['23505', false],
  ['40001', false],
  ['42P01', false],
])('a server that says %s is away: %s', ([code, isAway]) => {
  expect(databaseUnavailableReason(new DrizzleQueryError('select', [], ofServer(String(code)))) !== undefined).toBe(
    isAway,
  )
})

test('a lost connection is one to the database only where a statement was asked', () => {
  const lost = ofSystem('ECONNRESET')
  expect(databaseUnavailableReason(new Error('it failed', { cause: new DrizzleQueryError('select', [], lost) }))).toBe(
    'ECONNRESET',
  )
  expect(databaseUnavailableReason(new Error('the git host', { cause: lost }))).toBeUndefined()
  expect(databaseUnavailableReason(lost)).toBeUndefined()
  expect(wrapConnectionError(lost)).toBeInstanceOf(DatabaseUnavailable)
  expect(wrapConnectionError(ofServer('23505'))).not.toBeInstanceOf(DatabaseUnavailable)
})
