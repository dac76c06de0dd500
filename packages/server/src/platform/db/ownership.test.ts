import { afterAll, beforeAll, expect, test } from 'vitest'
import { organizations } from '../../identity/organizations/tables.ts'
import { projects } from '../../projects/projects/tables.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { sql } from './drizzle.ts'
import type { Database, Db } from './open.ts'
import { runAsOrganization } from './organization.ts'
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

test('a handler that knows the id of a record works as its organization, and sees no other', async () => {
  const partsOf = ownership(database).partsOf(projects, { clock: 'a clock' })
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
      expect(await runAsOrganization(tx, id, () => seen(tx))).toEqual([`prj_${id}`])
      const smuggled = tx.transaction((savepoint) =>
        runAsOrganization(savepoint, id, () =>
          savepoint.insert(projects).values({ id: 'x', organizationId: 'org_c', name: 'x', givenId: 'x' }),
        ),
      )
      await expect(smuggled).rejects.toMatchObject({ cause: { code: '42501' } })
      expect(await seen(tx)).toEqual(['prj_org_a', 'prj_org_b'])
    }
  })
  expect(await seen(database.db)).toEqual(['prj_org_a', 'prj_org_b'])
})

test('handlers of one organization wait for their turn as long as it takes, and those of another do not', async () => {
  const workOn = ownership(database).workOn(projects, {})
  const released = Promise.withResolvers<void>()
  let running = 0
  let mostAtOnce = 0
  const work = async () => {
    running += 1
    mostAtOnce = Math.max(mostAtOnce, running)
    await released.promise
    running -= 1
    return 'done'
  }
  const many = Array.from({ length: 100 }, () => workOn('prj_org_a', work))
  expect(await workOn('prj_org_b', async () => 'done')).toBe('done')
  expect(await workOn('prj_of_nobody', async () => 'done')).toBeUndefined()
  released.resolve()
  expect(new Set(await Promise.all(many))).toEqual(new Set(['done']))
  expect(mostAtOnce, 'see maxConcurrentHandlers in ownership.ts').toBe(20)
})
