import { readFileSync } from 'node:fs'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { createProject } from '../../../demo/organization.ts'
import { createOrganization } from '../../identity/organizations/bootstrap.ts'
import { newApiKey } from '../../platform/auth/api-key.ts'
import type { CopiedTable } from '../../platform/db/copy.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { copyAll } from './move.ts'

let full: Db
/** Target of the move. */
let target: Db
const moved: CopiedTable[] = []
let projectId: string
let environmentId: string

beforeAll(async () => {
  const database = await openTestDatabase()
  full = database.db
  const owner = { email: 'owner@moved.example', fullName: 'Olga “O’Wner”, \\ "née" (Øst)' }
  const made = await createOrganization(full, { name: 'Moved', givenId: 'moved', owner, token: newApiKey() })
  const project = { givenId: 'shop', name: 'Shop', environmentNames: ['staging', 'production'] }
  const { projectId: id, environmentIds } = await createProject(full, made.organizationId, project)
  projectId = id
  environmentId = environmentIds[0] ?? ''
  await full.execute(sql`
    insert into default_value_definitions (id, organization_id, key, schema, is_sensitive)
      values ('dvd_1', ${made.organizationId}, 'k', '{"default": null, "n": 1.10, "big": 12345678901234567890}', false)`)
  await full.execute(sql`
    insert into notification_positions values (${made.organizationId}, 9000000000, '2026-11-26T10:00:00.123Z')`)
  const at = await openTestDatabase()
  target = at.db
  await copyAll(full, target, (table) => moved.push(table))
  return () => Promise.all([database.close(), at.close()])
})

async function emptyDatabase(): Promise<Db> {
  const database = await openTestDatabase()
  onTestFinished(() => database.close())
  return database.db
}

async function rowsOf<Row>(db: Db, query: string): Promise<Row[]> {
  return ((await db.execute(sql.raw(query))) as unknown as { rows: Row[] }).rows
}

/** Returns the content of a table as text. */
const textOf = (db: Db, table: string) =>
  rowsOf<{ text: string }>(db, `select whole::text as text from ${table} whole order by 1`)

const stayedBehind = 'changes'
const mended = 'notification_positions'

test('every table of the schema is moved unchanged, except for transaction numbers', async () => {
  const schema = readFileSync(new URL('../../../migrations/schema.sql', import.meta.url), 'utf8')
  const tables = Array.from(schema.matchAll(/^CREATE TABLE public\.(\w+)/gm), ([, name = '']) => name)
  expect(moved.map(({ name }) => name)).toEqual(tables.filter((name) => name !== stayedBehind).toSorted())
  expect(moved.filter(({ rows }) => rows > 0).length).toBeGreaterThan(7)
  for (const { name, rows } of moved) {
    const there = await textOf(target, name)
    expect(there).toHaveLength(rows)
    if (name !== mended) expect(there).toEqual(await textOf(full, name))
  }
  expect(await textOf(full, stayedBehind)).not.toEqual([])
  expect(await textOf(target, stayedBehind)).toEqual([])
})

test('triggers, foreign keys and sequences work in the target as in the source', async () => {
  for (const query of [
    'select tgrelid::regclass::text as on, tgname::text, tgenabled from pg_trigger where not tgisinternal order by 1, 2',
    'select conname::text, condeferrable, condeferred, convalidated from pg_constraint where connamespace = 2200 order by 1',
    "select sequencename::text, last_value::text from pg_sequences where schemaname = 'public' order by 1",
  ]) {
    expect(await rowsOf(target, query)).toEqual(await rowsOf(full, query))
  }
  await target.execute(sql`update projects set name = 'Renamed' where id = ${projectId}`)
  expect(await textOf(target, stayedBehind)).toEqual([{ text: expect.stringContaining(projectId) }])
  const orphan = target.execute(sql`update environments set project_id = 'prj_nobody' where id = ${environmentId}`)
  await expect(orphan).rejects.toMatchObject({ cause: { code: '23503' } })
})

test('changes that channels may not have been notified of are found by their time', async () => {
  expect(await rowsOf(target, `select transaction_id::text as id, read_at::text as at from ${mended}`)).toEqual([
    { id: '0', at: expect.stringContaining(':50:00.123') },
  ])
})

test('a database with a row is rejected, and stays unchanged', async () => {
  const before = await textOf(target, 'environments')
  await expect(copyAll(full, target)).rejects.toThrow(/is not empty: \w+ has rows/)
  expect(await textOf(target, 'environments')).toEqual(before)
})

test('a failed move leaves nothing behind and can be repeated', async () => {
  const empty = await emptyDatabase()
  const failing = copyAll(full, empty, ({ name }) => {
    if (name === 'projects') throw new Error('the power went')
  })
  await expect(failing).rejects.toThrow('the power went')
  expect(await textOf(empty, 'organizations')).toEqual([])
  await copyAll(full, empty)
  expect(await textOf(empty, 'projects')).toEqual(await textOf(full, 'projects'))
})

test('a copy that differs is rolled back', async () => {
  const empty = await emptyDatabase()
  await empty.execute(sql`create rule fewer as on insert to projects do instead nothing`)
  await expect(copyAll(full, empty)).rejects.toThrow('The copy of projects is not what was copied')
  expect(await textOf(empty, 'organizations')).toEqual([])
})
