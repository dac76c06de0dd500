import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { ask } from '../../platform/engine/address.ts'
import { listDeployments } from '../../platform/engine/admin.ts'
import { addressIn, dataDirectory } from '../../platform/engine/sockets.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { eventually } from '../../testing/eventually.ts'
import { startWorld } from '../../testing/world.ts'

test('the service is ready only after the additional work at the start is complete', async () => {
  let isPrepared = false
  await using world = await startWorld({ isPrepared: () => isPrepared })
  const ready = () => fetch(`${world.url}/health/ready`)
  const early = await ready()
  expect(early.status).toBe(503)
  expect(early.headers.get('retry-after')).toBe('2')
  expect(await early.json()).toEqual({
    code: 'Sluice:Server:NOT_READY',
    message: expect.stringContaining('Cannot serve requests: the process is starting or shutting down.'),
    metadata: { checks: { process: 'unavailable' } },
    requestId: early.headers.get('x-request-id'),
    action: { label: 'What to do', url: `${world.url}/docs/guide/errors.html#sluiceservernot_ready` },
  })
  isPrepared = true
  expect((await ready()).status).toBe(200)
})

test('a process that is about to stop is not ready, and still answers requests', async () => {
  const world = await startWorld({ env: { SLUICE_DRAIN_SECONDS: '2' } })
  expect((await fetch(`${world.url}/health/ready`)).status).toBe(200)
  const ended = world[Symbol.asyncDispose]()
  const ready = await fetch(`${world.url}/health/ready`)
  expect(ready.status).toBe(503)
  expect(ready.headers.get('connection'), 'what becomes of the connection').toBe('close')
  expect((await fetch(`${world.url}/health/live`)).status).toBe(200)
  await ended
  await expect(fetch(`${world.url}/health/live`)).rejects.toThrow()
})

test('readiness reports that the engine does not know the worker any more, and recovers', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-health-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  await using world = await startWorld({ env: { SLUICE_DATA_DIR: dataDir } })
  const ready = async () => (await fetch(`${world.url}/health/ready`)).json()
  const passed = { database: 'ok', databaseWrites: 'ok', engine: 'ok', worker: 'ok', process: 'ok' }
  const well = { data: { status: 'ok', checks: passed } }
  expect(await ready()).toEqual(well)

  const admin = addressIn(dataDirectory(join(dataDir, 'engine')), 'admin')
  for (const { id } of await listDeployments(admin))
    await ask(admin, `/deployments/${id}?force=true`, { method: 'DELETE', withinMs: 5_000 })
  await untilPasses(async () =>
    expect(await ready()).toMatchObject({ metadata: { checks: { worker: 'unavailable' } } }),
  )
  await eventually('the worker to be known again', ready, (answer) => isDeepStrictEqual(answer, well))
})

const failedWrites = { metadata: { checks: { databaseWrites: 'unavailable' } } }

test('readiness reports the check databaseWrites while the database is read-only, and recovers with it', async () => {
  const { url, drop } = await createTestDatabase()
  onTestFinished(drop)
  await using world = await startWorld({ env: url === undefined ? {} : { DATABASE_URL: url } })
  const ready = async () => (await fetch(`${world.url}/health/ready`)).json()
  expect(await ready()).toMatchObject({ data: { status: 'ok' } })

  await setReadOnly(world.db, url, true)
  expect(await ready(), 'see platform/db/health.ts').toMatchObject(failedWrites)
  await setReadOnly(world.db, url, false)
  await untilPasses(async () => expect(await ready()).toMatchObject({ data: { status: 'ok' } }))
})

test('readiness reports the check databaseWrites while the database cannot write a file', async ({ skip }) => {
  skip(process.env.TEST_DATABASE_URL !== undefined, 'skipped: the files of a server are not ours')
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-health-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  await using world = await startWorld({ env: { SLUICE_DATA_DIR: dataDir } })
  const ready = async () => (await fetch(`${world.url}/health/ready`)).json()
  const temporaryFiles = join(dataDir, 'database', 'base', 'pgsql_tmp')
  await rm(temporaryFiles, { recursive: true, force: true })
  await writeFile(temporaryFiles, '')
  expect(await ready(), 'see platform/db/health.ts').toMatchObject(failedWrites)
})

/** Makes the database read-only for every session, as an operator or a cloud with a full disk does. */
async function setReadOnly(db: Db, url: string | undefined, isReadOnly: boolean) {
  const setting = `default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`
  if (url === undefined) return void (await db.execute(sql.raw(`set ${setting}`))) // the only session
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('set session characteristics as transaction read write')
  await client.query(`alter database ${new URL(url).pathname.slice(1)} set ${setting}`)
  await client.query(
    'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
}
