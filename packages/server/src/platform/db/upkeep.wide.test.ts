import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { organizations } from '../../identity/organizations/tables.ts'
import { projects } from '../../projects/projects/tables.ts'
import { sql } from './drizzle.ts'
import { type Db, openDatabase } from './open.ts'
import { vacuumGrownTables } from './upkeep.ts'

test('statements in the embedded database are planned for the rows that there are', async () => {
  const db = await openEmbedded()
  await db.insert(organizations).values({ id: 'org_acme', name: 'Acme', givenId: 'acme' })
  await insertProjects(db, 1, 2_000)
  expect(await plannedProjects(db), 'as for a table of which nothing is known').toBeLessThan(100)

  expect(await vacuumGrownTables(db)).toContain('projects')
  expect(await plannedProjects(db)).toBe(2_000)
})

test('only tables that have grown by half are seen to again', async () => {
  const db = await openEmbedded()
  await db.insert(organizations).values({ id: 'org_acme', name: 'Acme', givenId: 'acme' })
  await insertProjects(db, 1, 2_000)
  await vacuumGrownTables(db)

  expect(await vacuumGrownTables(db)).toEqual([])
  await insertProjects(db, 2_001, 2_200)
  expect(await vacuumGrownTables(db)).toEqual([])
  await insertProjects(db, 2_201, 3_500)
  expect(await vacuumGrownTables(db)).toContain('projects')
})

test('the room of what was deleted is used again', async () => {
  const db = await openEmbedded()
  await db.insert(organizations).values({ id: 'org_acme', name: 'Acme', givenId: 'acme' })
  await insertProjects(db, 1, 2_000)
  await db.execute(sql`delete from projects where given_id < 'p1500'`)
  await vacuumGrownTables(db)
  const before = await pagesOfProjects(db)
  await insertProjects(db, 5_001, 5_400)
  expect(await pagesOfProjects(db)).toBe(before)
})

async function openEmbedded(): Promise<Db> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-upkeep-'))
  const { db, close } = await openDatabase({ directory: join(directory, 'database') })
  onTestFinished(async () => {
    await close()
    await rm(directory, { recursive: true })
  })
  return db
}

async function insertProjects(db: Db, first: number, last: number): Promise<void> {
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => `p${first + index}`)
  await db
    .insert(projects)
    .values(numbers.map((name) => ({ id: `prj_${name}`, organizationId: 'org_acme', name, givenId: name })))
}

/** How many rows of the organization a statement is planned for. */
async function plannedProjects(db: Db): Promise<number> {
  const { rows } = (await db.execute(
    sql`explain (format json) select * from projects where organization_id = 'org_acme'`,
  )) as unknown as { rows: { 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }[] }
  return rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
}

async function pagesOfProjects(db: Db): Promise<number> {
  const [size] = await db
    .select({ pages: sql<number>`pg_relation_size('projects')::int / 8192` })
    .from(sql`(select) as one`)
  return size?.pages ?? 0
}
