import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { untilPasses } from '../../../../../../testing/until-passes.ts'
import { backUp, restore } from '../../../interface/moving/backup.ts'
import { createEmptyDatabase, createTestDatabase, openTestDatabase } from '../../../testing/database.ts'
import { inspectDatabase } from '../look.ts'
import { openDatabase } from '../open.ts'
import { catalogFile, catalogOf, differenceBetween, expectWholeSchema } from './expected-schema.ts'

const expected = readFileSync(catalogFile, 'utf8').trim().split('\n')
const restoreAgain = 'restore the backup into an empty database'

test('a migrated database has the objects of the catalog, and no other', async () => {
  const { db, close } = await openTestDatabase()
  onTestFinished(close)
  expect(await catalogOf(db), 'npm run schema writes the catalog after a migration').toEqual(expected)
  await expectWholeSchema(db)
})

test('missing objects and policies of others are differences, objects of others are not', () => {
  const ours = ['index a on t', 'table t']
  expect(differenceBetween(ours, [...ours, 'index b on t', 'table u'])).toBeUndefined()
  expect(differenceBetween(ours, ['table t'])).toContain('lacks 1 of the 2 objects')
  expect(differenceBetween(ours, [...ours, 'permissive policy all on t'])).toContain('permissive policy all on t')
  expect(differenceBetween(ours, [...ours, 'restrictive policy few on t'])).toBeUndefined()
})

const server = process.env.TEST_DATABASE_URL
const hasPgDump = await promisify(execFile)('pg_dump', ['--version']).then(
  () => true,
  () => false,
)

describe.skipIf(server === undefined)('a service on a server [PostgreSQL]', () => {
  const damages: [what: string, statement: string, named: string][] = [
    ['a table', 'drop table favourites', 'table favourites'],
    ['a column', 'alter table projects drop column name cascade', 'column projects.name text not null'],
    ['a mandatory column', 'alter table projects alter name drop not null', 'column projects.name text not null'],
    ['an index', 'drop index audit_events_actor', 'index audit_events_actor on audit_events'],
    ['a trigger', 'alter table audit_events disable trigger audit_events_stay', 'trigger audit_events_stay'],
    ['a wall', 'alter table projects disable row level security', 'row-level security on projects'],
    ['a policy', 'drop policy own_organization on projects', 'permissive policy own_organization on projects'],
    [
      'a foreign key',
      'alter table environments drop constraint environments_project_id_projects_id_fk',
      'constraint environments_project_id_projects_id_fk',
    ],
  ]
  test(
    'refuses a schema without',
    everyCase(damages, async (_, statement, named) => {
      const { url, drop } = await createTestDatabase()
      onTestFinished(drop)
      await query(url, statement)
      const start = openDatabase({ url: url ?? '' })
      await expect(start).rejects.toThrow(named)
      await expect(start).rejects.toThrow(restoreAgain)
    }),
  )

  test('takes a policy for a role of the operator', async () => {
    const { url, drop } = await createTestDatabase()
    onTestFinished(drop)
    await query(url, 'create policy reports on projects for select to pg_monitor using (true)')
    await (await openDatabase({ url: url ?? '' })).close()
  })

  test('refuses a policy that lets an organization see the rows of others', async () => {
    const { url, drop } = await createTestDatabase()
    onTestFinished(drop)
    await query(url, 'create policy everything on projects using (true)')
    await expect(openDatabase({ url: url ?? '' })).rejects.toThrow('permissive policy everything on projects')
  })
})

describe.skipIf(server === undefined || !hasPgDump)('a restore on a server [PostgreSQL, pg_dump]', () => {
  let file: string
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-restore-'))
    file = join(folder, 'sluice.dump')
    const { url = '', drop } = await createTestDatabase()
    await backUp(url, file)
    await drop()
    return () => rm(folder, { recursive: true })
  })

  async function emptyDatabase(): Promise<string> {
    const { url = '', drop } = await createEmptyDatabase()
    onTestFinished(drop)
    return url
  }

  test('that is finished is a whole schema', async () => {
    const url = await emptyDatabase()
    await restore(file, url)
    await (await openDatabase({ url })).close()
  })

  test('that was killed leaves a database that is rejected', async () => {
    const left: number[] = []
    for (const objects of [200, 1_000, 1_400, 1_700, 2_000]) {
      const url = await emptyDatabase()
      const killed = spawn('pg_restore', ['--no-owner', '--exit-on-error', '--dbname', url, file])
      const ended = once(killed, 'exit')
      await untilPasses(async () => expect(await countObjects(url)).toBeGreaterThanOrEqual(objects))
      killed.kill('SIGKILL')
      await ended
      await untilPasses(async () => expect(await query(url, othersAtWork)).toEqual([]))
      const found = await countObjects(url)
      const start = openDatabase({ url }).then((database) => database.close())
      if (found === expected.length) await start
      else await expect(start, `killed with ${found} objects`).rejects.toThrow(restoreAgain)
      left.push(found)
    }
    expect(Math.min(...left), `objects left: ${left.join(', ')}`).toBeLessThan(expected.length)
  })
})

const othersAtWork = 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'

const countObjects = (url: string): Promise<number> =>
  inspectDatabase({ url }, async (db) => (await catalogOf(db)).length)

async function query<Row extends pg.QueryResultRow>(url: string | undefined, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
    .query<Row>(statement)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}
