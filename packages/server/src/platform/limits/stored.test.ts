import { afterAll, expect, test } from 'vitest'
import { organizations } from '../../identity/organizations/tables.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { sql } from '../db/drizzle.ts'
import { rowCounts } from '../db/tables.ts'
import { newId } from '../ids.ts'
import { findReachedStorageLimit, usedBytes } from './stored.ts'

const database = await openTestDatabase()
const { db } = database
afterAll(() => database.close())

/** A separate table without foreign keys is enough, because the triggers of `keep_bytes_of` do the counting. */
await db.execute(sql`create table written (id int primary key, organization_id text not null, text text)`)
await db.execute(sql`insert into written values (1, 'org_before', 'öl')`)
await db.execute(sql`select keep_bytes_of('written', 'text')`)

const counted = async (organizationId: string): Promise<number> => {
  const rows = await db.select().from(rowCounts)
  const own = rows.filter((row) => row.organizationId === organizationId && row.tableName === 'written.text')
  return own.reduce((sum, { rowCount }) => sum + rowCount, 0)
}

test('inserts, updates and deletes change the stored bytes of each organization, including existing rows', async () => {
  expect(await counted('org_before')).toBe(3)
  await db.execute(sql`insert into written values (2, 'org_a', 'abc'), (3, 'org_b', 'a'), (4, 'org_a', null)`)
  expect([await counted('org_a'), await counted('org_b')]).toEqual([3, 1])
  await db.execute(sql`update written set text = repeat('x', 100000) where id in (3, 4)`)
  expect([await counted('org_a'), await counted('org_b')]).toEqual([100_003, 100_000])
  await db.execute(sql`update written set text = null where id = 2`)
  await db.execute(sql`delete from written where id = 3`)
  expect([await counted('org_a'), await counted('org_b')]).toEqual([100_000, 0])
  await expect(
    db.transaction(async (tx) => {
      await tx.execute(sql`delete from written`)
      throw new Error('taken back')
    }),
  ).rejects.toThrow()
  expect(await counted('org_a')).toBe(100_000)
})

test('the error for a reached storage limit includes the remedy', async () => {
  const organizationId = newId('org')
  await db.insert(organizations).values({ id: organizationId, name: 'A', givenId: organizationId })
  const count = { id: organizationId, organizationId, tableName: 'iac_plans.sealed', rowCount: 7 }
  await db.insert(rowCounts).values(count)
  const names = ['storedStateBytes', 'storedPlanBytes'] as const
  expect(await usedBytes(db, organizationId, 'storedPlanBytes')).toBe(7)
  expect(
    await findReachedStorageLimit({ storedPlanBytes: 8, storedStateBytes: 8 }, db, organizationId, names),
  ).toBeUndefined()
  expect(await findReachedStorageLimit({}, db, organizationId, names)).toBeUndefined()
  expect(await findReachedStorageLimit({ storedPlanBytes: 7 }, db, organizationId, names)).toEqual({
    limit: 'storedPlanBytes',
    most: 7,
    message:
      'The limit storedPlanBytes is reached: the organization has 7 bytes of plans to be applied, and may have 7.',
    remedy: expect.stringContaining('Apply or reject'),
  })
})
