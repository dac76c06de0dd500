import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { organizations } from '../../identity/organizations/tables.ts'
import { createEmptyDatabase, createTestDatabase } from '../../testing/database.ts'
import { eventually } from '../../testing/eventually.ts'
import { eq, sql } from './drizzle.ts'
import { databaseAnswers } from './health.ts'
import { oldestCompatibleMigration } from './migrations/lives-with.ts'
import { locksFor, migrateOnline } from './migrations/migrate-beside.ts'
import { checkSchemaVersion, type Database, openDatabase } from './open.ts'

const acme = { id: 'org_acme', name: 'Acme', givenId: 'acme' }

test('what was written is there at the next start', async () => {
  const location = await emptyLocation()
  const first = await openDatabase(location)
  await first.db.insert(organizations).values(acme)
  await first.close()
  const second = await openDatabase(location)
  onTestFinished(() => second.close())
  expect(await second.db.select().from(organizations).where(eq(organizations.id, acme.id))).toMatchObject([acme])
})

test('processes that start at once on an empty server all find it migrated', async ({ skip }) => {
  const location = await emptyLocation()
  if (!('url' in location)) return skip('skipped: PostgreSQL')
  const databases = await Promise.all(Array.from({ length: 4 }, () => openDatabase(location)))
  onTestFinished(async () => void (await Promise.all(databases.map(({ close }) => close()))))
  for (const { db } of databases) expect(await db.$count(organizations)).toBe(0)
})

test('a database that is gone does not answer', async () => {
  const { db, close } = await openDatabase(await ownLocation())
  expect(await databaseAnswers(db)).toBe(true)
  await close()
  expect(await databaseAnswers(db)).toBe(false)
})

test('a transaction that fails leaves nothing, and the next one is not affected', async () => {
  const { db, close } = await openDatabase(await ownLocation())
  onTestFinished(close)
  const failed = db.transaction(async (tx) => {
    await tx.insert(organizations).values(acme)
    await tx.insert(organizations).values(acme)
  })
  await expect(failed).rejects.toMatchObject({ cause: { code: '23505' } })
  expect(await db.$count(organizations)).toBe(0)
  await db.transaction((tx) => tx.insert(organizations).values(acme))
  expect(await db.$count(organizations)).toBe(1)
})

test('what an organization asks for and what the service does itself keep apart, also after a statement that could not be sent', async () => {
  const database = await openDatabase(await ownLocation())
  onTestFinished(database.close)
  const unsendable = {
    toPostgres() {
      throw new Error('of no type')
    },
  }
  const seen = async () => {
    const who = sql`select current_user <> session_user as "isTenant", current_setting('sluice.organization_id', true) as id`
    const of = async (db: Database['db']) => ((await db.execute(who)) as unknown as { rows: object[] }).rows[0]
    return [
      await of(database.ofOrganization('org_acme')),
      await of(database.db),
      await of(database.ofOrganization('org_2')),
    ]
  }
  const apart = [{ isTenant: true, id: 'org_acme' }, { isTenant: false }, { isTenant: true, id: 'org_2' }]
  expect(await seen()).toMatchObject(apart)
  for (const db of [database.db, database.ofOrganization('org_acme')]) {
    await expect(db.execute(sql`select ${unsendable}::text`)).rejects.toMatchObject({
      cause: { message: 'of no type' },
    })
    expect(await seen()).toMatchObject(apart)
    const failed = db.transaction((tx) => tx.execute(sql`select ${unsendable}::text`))
    await expect(failed).rejects.toMatchObject({ cause: { message: 'of no type' } })
    expect(await seen()).toMatchObject(apart)
  }
})

test('a value of some megabytes comes back as it was', async () => {
  const { db, close } = await openDatabase(await ownLocation())
  onTestFinished(close)
  const large = 'ä'.repeat(4_000_000)
  const { rows } = (await db.execute(sql`select ${large}::text as text`)) as unknown as { rows: { text: string }[] }
  expect(rows[0]?.text === large).toBe(true)
})

test.for<[string, (database: Database) => Database['db']]>([
  ['the service', ({ db }) => db],
  ['an organization', ({ ofOrganization }) => ofOrganization(acme.id)],
])(
  'a transaction of %s fails whose connection the server closes, and the next one has another',
  async ([, of], { skip }) => {
    const location = await emptyLocation()
    if (!('url' in location)) return skip('skipped: PostgreSQL')
    const database = await openDatabase(location)
    onTestFinished(database.close)
    const cut = of(database).transaction(async (tx) => {
      const { rows } = (await tx.execute(sql`select pg_backend_pid() as pid`)) as unknown as { rows: [{ pid: number }] }
      const [{ pid }] = rows
      await database.db.execute(sql`select pg_terminate_backend(${pid}, 10000)`)
      await database.db.execute(sql`select 1`) // by when the news has been read
      await tx.execute(sql`select 1`)
    })
    await expect(cut).rejects.toMatchObject({ cause: { message: expect.stringContaining('connection') } })
    await expect(of(database).transaction((tx) => tx.execute(sql`select 1`))).resolves.toBeDefined()
  },
)

test('an embedded database may lie behind a link, such as one to another disk', async ({ skip }) => {
  const location = await ownLocation()
  if ('url' in location) return skip('skipped: embedded database')
  const link = `${location.directory}-link`
  await symlink(location.directory, link)
  onTestFinished(() => rm(link))
  const { db, close } = await openDatabase({ directory: link })
  onTestFinished(close)
  expect(await databaseAnswers(db)).toBe(true)
})

test('a database that cannot be opened is named, with what to do', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-db-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  await writeFile(join(directory, 'PG_VERSION'), 'junk')
  await expect(openDatabase({ directory })).rejects.toThrow(`The database in ${directory} cannot be opened`)
  await expect(openDatabase({ url: 'postgres://sluice:secret@127.0.0.1:2/sluice' })).rejects.toThrow(
    /^DATABASE_URL: 127\.0\.0\.1:2 rejected the connection: .*ECONNREFUSED[^@]*$/,
  )
})

test('a database that a later version has written is left alone, unless that says that this one can live with it', async () => {
  const location = await ownLocation()
  const later = await openDatabase(location)
  await later.db.execute(
    sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 4102444800000)`,
  )
  await later.close()
  const now = await openDatabase(location)
  expect(await checkSchemaVersion(now.db)).toBe('later')
  await now.db.execute(sql`comment on schema drizzle is 'lives with versions from migration 4102444800000'`)
  await now.close()
  await expect(openDatabase(location)).rejects.toThrow('by a later version of Sluice than this one. Start the later')
})

test('a user without permission to create the schema gets an error with the required permissions', async ({ skip }) => {
  const location = await emptyLocation()
  if (!('url' in location)) return skip('skipped: PostgreSQL')
  const client = new pg.Client({ connectionString: location.url })
  await client.connect()
  const url = new URL(location.url)
  url.username = `reader_${url.pathname.slice(1)}`
  onTestFinished(async () => {
    await client.query(`drop role ${url.username}`)
    await client.end()
  })
  await client.query(`create role ${url.username} login password '${url.password}'`)
  await expect(openDatabase({ url: url.href })).rejects.toThrow(/permission denied .*must own the database.*CREATEROLE/)
})

test('a superuser or a role that bypasses isolation is rejected, unless it is allowed', async ({ skip }) => {
  const location = await emptyLocation()
  const superuser = process.env.TEST_SUPERUSER_URL
  if (!('url' in location) || superuser === undefined) return skip('skipped: PostgreSQL')
  const url = new URL(superuser)
  url.pathname = new URL(location.url).pathname
  await expect(openDatabase({ url: url.href })).rejects.toThrow(
    /the role \w+ is a superuser.*SLUICE_DATABASE_SUPERUSER/,
  )
  const allowed = await openDatabase({ url: url.href, allowsSuperuser: true })
  onTestFinished(() => allowed.close())

  const passer = `passer_${url.pathname.slice(1)}`
  await allowed.db.execute(sql.raw(`create role ${passer} login bypassrls password '${url.password}'`))
  onTestFinished(async () => void (await allowed.db.execute(sql.raw(`drop role ${passer}`))))
  url.username = passer
  await expect(openDatabase({ url: url.href })).rejects.toThrow('has BYPASSRLS')
})

/** A database of the server under test, or an embedded one; gone when the test is over. */
async function ownLocation(): Promise<{ url: string } | { directory: string }> {
  const { location, drop } = await createTestDatabase()
  onTestFinished(drop)
  return location
}

/** The same without a table. */
async function emptyLocation(): Promise<{ url: string } | { directory: string }> {
  const { location, drop } = await createEmptyDatabase()
  onTestFinished(drop)
  return location
}

test('the oldest version that can live with a schema is the first that does without what was taken away', () => {
  const migrations = Array.from({ length: 90 }, (_, index) => ({ folderMillis: index, sql: ['select 1'] }))
  expect(oldestCompatibleMigration(migrations)).toBe(31)
  migrations.push({
    folderMillis: 90,
    sql: ['-- contracts: not used since 0.3.0, which ends with 0081\nDROP TABLE "a"'],
  })
  expect(oldestCompatibleMigration(migrations)).toBe(81)
})

test.each([2, 7])('no more than %i connections are made, however many ask', async (connections) => {
  const location = await ownLocation()
  if (!('url' in location)) return
  const { db, ofOrganization, close } = await openDatabase({ ...location, connections })
  onTestFinished(close)
  const asked = [db, ofOrganization('org_a'), ofOrganization('org_b')]
  await Promise.all(asked.flatMap((one) => Array.from({ length: 10 }, () => one.execute(sql`select pg_sleep(0.01)`))))
  const { rows } = (await db.execute(
    sql`select count(*)::int as count from pg_stat_activity where datname = current_database()`,
  )) as unknown as { rows: { count: number }[] }
  expect(rows[0]?.count).toBeLessThanOrEqual(connections)
})

test('a migration locks what it changes and no more, before it begins', () => {
  const migration = 'ALTER TABLE "holds" ADD COLUMN "a" text; CREATE INDEX "i" ON "runs" ("b"); -- of teams, too'
  expect(locksFor(migration, ['deployments', 'holds', 'runs'])).toEqual([
    'lock table "holds" in access exclusive mode',
    'lock table "runs" in share row exclusive mode',
  ])
})

test('a schema is brought up to date while others hold its tables and wait for each other: none of them fails', async ({
  skip,
}) => {
  const location = await ownLocation()
  if (!('url' in location)) return skip('skipped: PostgreSQL')
  await (await openDatabase(location)).close()
  const [user, migrator] = await Promise.all([connected(location.url), connected(location.url)])
  await user.query('begin; select from teams')
  const migration = { sql: ['ALTER TABLE "projects" ADD COLUMN "x" text', 'ALTER TABLE "teams" ADD COLUMN "x" text'] }
  const later = { ...migration, hash: 'later', folderMillis: 4_102_444_800_000, bps: true }
  const migrated = migrateOnline(migrator as unknown as pg.PoolClient, [later])
  const waitingCount = async (): Promise<number> => (await user.query(waiting)).rows[0].count
  await eventually('the migration to wait for a lock', waitingCount, (count) => count > 0)
  await user.query('select from projects') // which the migration would have by now, if it took one after the other
  await user.query('commit')
  await migrated
  await user.query('select teams.x, projects.x from teams, projects')
})

const waiting = `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}
