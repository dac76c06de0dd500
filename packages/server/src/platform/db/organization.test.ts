import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { type SQL, type SQLChunk, sql } from './drizzle.ts'
import type { Database, Db } from './open.ts'
import { withAllScopesVisible } from './organization.ts'

const mine = 'org_mine'
const theirs = 'org_theirs'

const database = await openTestDatabase()
const { db } = database
afterAll(() => database.close())

/** Every table of an organization's rows, from the catalogue: a new one is covered without writing a test. */
const walled = await textsOf(
  db,
  sql`select c.relname as text from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and a.attname = 'organization_id' and not a.attisdropped order by 1`,
)
/** By which column a row of it is named: its id, or what its key begins with. */
const keys = await rowsOf<{ table: string; column: string }>(
  db,
  sql`select c.relname as table, a.attname as column from pg_index i
      join pg_class c on c.oid = i.indrelid
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where i.indisprimary and c.relnamespace = 'public'::regnamespace`,
)
const everyTable = await textsOf(
  db,
  sql`select tablename as text from pg_tables where schemaname = 'public' order by 1`,
)

/** Their rows come with those of other tables. */
const writtenByTriggers = ['audit_chain', 'audit_heads']

beforeAll(async () => {
  await forgetReferences(db)
  for (const id of [mine, theirs]) {
    await db.execute(sql`insert into organizations (id, name, given_id) values (${id}, 'A', ${id})`)
    for (const table of walled.filter((one) => !writtenByTriggers.includes(one))) await insertRow(db, table, id)
  }
})

test.skipIf(!process.env.TEST_DATABASE_URL)(
  'what one organization asks for does not keep another one from asking [a server: the embedded database has one connection]',
  async () => {
    const { ofOrganization } = database
    let over = 0
    const slow = Array.from({ length: 30 }, () =>
      ofOrganization(mine)
        .execute(sql`select pg_sleep(1)`)
        .finally(() => {
          over += 1
        }),
    )
    await ofOrganization(theirs).execute(sql`select 1`)
    expect(over, 'whoever asked first had half of the connections').toBe(0)
    await Promise.all(slow)
    expect(over).toBe(30)
  },
)

test('the schema has tables to check', () => {
  expect(walled).toEqual(expect.arrayContaining(['api_keys', 'deployments', 'pipelines', 'sessions']))
})

test('those without an organization of their own are few and known', () => {
  const known = [
    'archive_removals',
    'backup_reports',
    'device_sign_ins',
    'encryption_keys',
    'git_deliveries',
    'identities',
    'organizations',
    'runner_tools',
    'spent_tokens',
    'users',
  ]
  expect(everyTable.filter((name) => !walled.includes(name))).toEqual(known)
})

test('every table is under row-level security', async () => {
  const open = sql`select relname as text from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relrowsecurity`
  expect(await textsOf(db, open)).toEqual([])
})

test(
  'every table with an organization has a policy that compares it',
  everyCase(walled, async (table) => {
    const policies = sql`select policyname as text from pg_policies
    where tablename = ${table} and cmd = 'ALL' and 'sluice_tenant' = any(roles)
      and qual = '(organization_id = current_organization())' and coalesce(with_check, qual) = qual`
    expect(await textsOf(db, policies)).toEqual(['own_organization'])
  }),
)

/** What says that a row is in a project, or is part of what is in one. */
const placed = await textsOf(
  db,
  sql`select distinct c.relname as text from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not a.attisdropped
        and a.attname in ('project_id', 'environment_id', 'module_instance_id', 'pipeline_id', 'pipeline_run_id',
          'step_execution_id', 'stack_id', 'workspace_id', 'parent_id') order by 1`,
)

/** These are only read with the module instance that they are of. */
const readWithTheirInstance = ['module_instance_applies', 'module_instance_references']

test(
  'every table in a project has a policy that hides it with the project',
  everyCase(
    placed.filter((table) => !readWithTheirInstance.includes(table)),
    async (table) => {
      const policies = sql`select policyname as text from pg_policies
    where tablename = ${table} and permissive = 'RESTRICTIVE' and cmd = 'SELECT' and 'sluice_tenant' = any(roles)
      and qual like '%hidden_places()%'`
      expect(await textsOf(db, policies)).toEqual(['not_hidden'])
    },
  ),
)

test('what is done with nothing hidden ends with it', async () => {
  const place = async (tx: Db) =>
    (await rowsOf<{ hidden: string[] }>(tx, sql`select hidden_places() as hidden`))[0]?.hidden
  const somebody = database.ofOrganization(mine, new Set(['prj_1', 'env_1']))
  await somebody.transaction(async (tx) => {
    expect(await place(tx)).toEqual(['env_1', 'prj_1'])
    expect(await withAllScopesVisible(tx, place)).toEqual([])
    expect(await place(tx)).toEqual(['env_1', 'prj_1'])
    await withAllScopesVisible(tx, () => Promise.reject(new Error('no'))).catch(() => {})
    expect(await place(tx)).toEqual(['env_1', 'prj_1'])
  })
  expect(await place(database.ofOrganization(mine))).toEqual([])
  expect(await place(somebody)).toEqual(['env_1', 'prj_1'])
})

test('the role that requests act in can neither bypass the policies nor lift them', async () => {
  const powers = sql`select rolname as text from pg_roles
    where rolname = 'sluice_tenant' and (rolsuper or rolbypassrls or rolcreaterole or rolcanlogin)`
  expect(await textsOf(db, powers)).toEqual([])
  const owned = sql`select relname as text from pg_class where pg_get_userbyid(relowner) = 'sluice_tenant'`
  expect(await textsOf(db, owned)).toEqual([])
})

/** Of these, an organization has one at most. */
const oneEach = [
  'artifact_retentions',
  'identity_providers',
  'notification_positions',
  'price_lists',
  'sign_in_policies',
]

/** How a row of another organization is named in a table: by its ID, or by what its key begins with. */
function keyOf(table: string) {
  const column = keys.find((one) => one.table === table)?.column ?? ''
  return { key: sql.identifier(column), theirKey: column === 'organization_id' ? theirs : `${table}-${theirs}` }
}
const ownersIn = (table: string) =>
  sql`select distinct organization_id as text from ${sql.identifier(table)} order by 1`

// What a store would do if its `where` did not compare the organization.
describe('a statement that does not name the organization', () => {
  test(
    'reads no row of another organization, in any table',
    everyCase(walled, async (table) => {
      expect(await textsOf(database.ofOrganization(mine), ownersIn(table))).toEqual([mine])
      expect(await textsOf(database.ofOrganization(theirs), ownersIn(table))).toEqual([theirs])
      expect(await textsOf(database.ofOrganization(''), ownersIn(table))).toEqual([])
    }),
  )

  test(
    'reads no row of another organization by its ID, in any table',
    everyCase(walled, async (table) => {
      const { key, theirKey } = keyOf(table)
      const row = sql`select ${key} as text from ${sql.identifier(table)} where ${key} = ${theirKey}`
      expect(await textsOf(database.ofOrganization(mine), row)).toEqual([])
      expect(await textsOf(database.ofOrganization(theirs), row)).toHaveLength(1)
    }),
  )

  test(
    'reads no row of another organization in a transaction, in any table',
    everyCase(walled, async (table) => {
      const seen = await database.ofOrganization(mine).transaction((tx) => textsOf(tx, ownersIn(table)))
      expect(seen).toEqual([mine])
    }),
  )

  test(
    'changes and removes no row of another organization, in any table',
    everyCase(walled, async (table) => {
      const { key } = keyOf(table)
      const name = sql.identifier(table)
      const touched = sql`update ${name} set ${key} = ${key} where true returning organization_id as text`
      const removed = sql`delete from ${name} where true returning organization_id as text`
      for (const statement of [touched, removed]) {
        expect(await inPassing(database, mine, statement)).not.toContain(theirs)
      }
      expect(await textsOf(db, ownersIn(table))).toEqual([mine, theirs])
    }),
  )

  test(
    'inserts no row for another organization, into any table',
    everyCase(walled, async (table) => {
      const tenant = database.ofOrganization(mine)
      await expect(insertRow(tenant, table, theirs, 'smuggled')).rejects.toMatchObject({ cause: { code: '42501' } })
      if (writtenByTriggers.includes(table)) {
        const asOwn = insertRow(tenant, table, mine, 'own')
        return expect(asOwn).rejects.toMatchObject({ cause: { code: '42501' } })
      }
      const own = tenant.transaction(async (tx) => {
        if (oneEach.includes(table)) await tx.execute(sql`delete from ${sql.identifier(table)} where true`)
        await insertRow(tx, table, mine, 'own')
        throw undone
      })
      await expect(own).rejects.toBe(undone)
    }),
  )
})

test('an organization sees only itself', async () => {
  const organizations = sql`select id as text from organizations`
  expect(await textsOf(database.ofOrganization(mine), organizations)).toEqual([mine])
})

test('records of runners are visible to organizations whose steps they execute, and none can change them', async () => {
  await db.execute(
    sql`insert into runner_tools (pool, runner_id, execution_environment_id, versions, told_at) values
      ('installation', 'rnr_1', null, '{}', now()),
      (${`execution_environments-${mine}`}, 'rnr_2', ${`execution_environments-${mine}`}, '{}', now())`,
  )
  const tools = sql`select runner_id as text from runner_tools order by 1`
  expect(await textsOf(database.ofOrganization(mine), tools)).toEqual(['rnr_1', 'rnr_2'])
  expect(await textsOf(database.ofOrganization(theirs), tools)).toEqual(['rnr_1'])
  const removed = textsOf(database.ofOrganization(mine), sql`delete from runner_tools returning pool as text`)
  await expect(removed).rejects.toMatchObject({ cause: { code: '42501' } })
})

test('users are seen by the organizations they belong to, password hashes by none', async () => {
  await db.execute(sql`insert into users (id, email) values ('usr_1', 'ada@example.com')`)
  await db.execute(
    sql`insert into memberships (id, organization_id, user_id, role) values ('mem_1', ${mine}, 'usr_1', 'OWNER')`,
  )
  const users = sql`select id as text from users`
  expect(await textsOf(database.ofOrganization(mine), users)).toEqual(['usr_1'])
  expect(await textsOf(database.ofOrganization(theirs), users)).toEqual([])
  const identities = sql`select id as text from identities`
  await expect(textsOf(database.ofOrganization(mine), identities)).rejects.toMatchObject({ cause: { code: '42501' } })
})

test('public records can be read by every organization, and changed by their owner', async () => {
  const published = sql`update module_definitions set is_global_published = true where organization_id = ${theirs}`
  await db.execute(published)
  const definitions = sql`select organization_id as text from module_definitions order by 1`
  expect(await textsOf(database.ofOrganization(mine), definitions)).toEqual([mine, theirs])
  const touched = sql`update module_definitions set name = 'stolen' where true returning organization_id as text`
  expect(await textsOf(database.ofOrganization(mine), touched)).toEqual([mine])
})

async function rowsOf<Row>(db: Db, statement: SQL): Promise<Row[]> {
  const { rows } = (await db.execute(statement)) as unknown as { rows: Row[] }
  return rows
}

async function textsOf(db: Db, statement: SQL): Promise<string[]> {
  return (await rowsOf<{ text: string }>(db, statement)).map(({ text }) => text)
}

const undone = new Error('undone')

/** What the statement returns; it is undone. A right that the tenants' role lacks altogether counts as nothing. */
async function inPassing({ ofOrganization }: Database, organizationId: string, statement: SQL): Promise<string[]> {
  let seen: string[] = []
  await ofOrganization(organizationId)
    .transaction(async (tx) => {
      seen = await textsOf(tx, statement)
      throw undone
    })
    .catch((error: Error & { cause?: { code?: string } }) => {
      if (error !== undone && error.cause?.code !== '42501') throw error
    })
  return seen
}

/** So that a row can be made of any table without those that it refers to. */
async function forgetReferences(db: Db): Promise<void> {
  const drops = await textsOf(
    db,
    sql`select format('alter table %s drop constraint %I', conrelid::regclass, conname) as text
        from pg_constraint where connamespace = 'public'::regnamespace and contype in ('f', 'c')`,
  )
  for (const drop of drops) await db.execute(sql.raw(drop))
}

/** A row with something in every column that must have something. */
async function insertRow(db: Db, table: string, organizationId: string, label = table): Promise<void> {
  const columns = await rowsOf<{ name: string; type: string }>(
    db,
    sql`select attname as name, format_type(atttypid, null) as type from pg_attribute
        where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attnotnull and not atthasdef
          and attidentity = ''`,
  )
  const names = columns.map(({ name }) => sql.identifier(name))
  const values = columns.map(({ name, type }) =>
    name === 'organization_id' ? sql`${organizationId}` : filler(type, `${label}-${organizationId}`),
  )
  const list = (parts: SQLChunk[]) => sql.join(parts, sql`, `)
  await db.execute(sql`insert into ${sql.identifier(table)} (${list(names)}) values (${list(values)})`)
}

function filler(type: string, text: string): SQL {
  if (type === 'jsonb') return sql`'{}'::jsonb`
  if (type === 'text') return sql`${text}::text`
  if (type === 'text[]') return sql`array[${text}]::text[]`
  if (type === 'integer' || type === 'bigint') return sql`1`
  if (type === 'boolean') return sql`false`
  if (type.startsWith('timestamp')) return sql`now()`
  throw new Error(`no value for a column of type ${type}`)
}
