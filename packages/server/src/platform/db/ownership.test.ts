import { afterAll, beforeAll, expect, test } from 'vitest'
import { organizations } from '../../identity/organizations/tables.ts'
import { projects } from '../../projects/projects/tables.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { sql } from './drizzle.ts'
import type { Database, Db } from './open.ts'
import { actingFor } from './organization.ts'
import { ownership } from './ownership.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
  for (const id of ['org_a', 'org_b']) {
    await database.db.insert(organizations).values({ id, name: id, givenId: id })
    await database.db.insert(projects).values({ id: `prj_${id}`, organizationId: id, name: id, givenId: 'shop' })
  }
})
afterAll(() => database?.close())

const seen = async (db: Db) => (await db.select({ id: projects.id }).from(projects)).map(({ id }) => id).sort()

async function roleIn(db: Db): Promise<string | undefined> {
  const { rows } = (await db.execute(sql`select current_user as name`)) as unknown as { rows: { name: string }[] }
  return rows[0]?.name
}

test('who is told the id of a record works as its organization, and sees no other', async () => {
  const partsOf = ownership(database)(projects, { clock: 'a clock' })
  const parts = await partsOf('prj_org_a')
  if (!parts) throw new Error('it has no parts')
  expect(parts.clock).toBe('a clock')
  expect(await roleIn(parts.db)).toBe('sluice_tenant')
  expect(await seen(parts.db)).toEqual(['prj_org_a'])
  expect(await seen((await partsOf('prj_org_b'))?.db ?? database.db)).toEqual(['prj_org_b'])
  expect(await partsOf('prj_of_nobody')).toBeUndefined()
})

test('in a transaction about several organizations each is acted for by itself, also after one that failed', async () => {
  await database.db.transaction(async (tx) => {
    expect(await seen(tx)).toEqual(['prj_org_a', 'prj_org_b'])
    for (const id of ['org_a', 'org_b']) {
      expect(await actingFor(tx, id, () => seen(tx))).toEqual([`prj_${id}`])
      const smuggled = tx.transaction((savepoint) =>
        actingFor(savepoint, id, () =>
          savepoint.insert(projects).values({ id: 'x', organizationId: 'org_c', name: 'x', givenId: 'x' }),
        ),
      )
      await expect(smuggled).rejects.toMatchObject({ cause: { code: '42501' } })
      expect(await seen(tx)).toEqual(['prj_org_a', 'prj_org_b'])
    }
  })
  expect(await seen(database.db)).toEqual(['prj_org_a', 'prj_org_b'])
})
