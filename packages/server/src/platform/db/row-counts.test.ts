import { setImmediate as breathe } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { infrastructureEvents } from '../../delivery/infrastructure-events/tables.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { newId } from '../ids.ts'
import { eq, getTableName, inArray, sql } from './drizzle.ts'
import type { Db } from './open.ts'
import { selectCountedPage } from './page.ts'
import { rowCounts } from './tables.ts'

const database = await openTestDatabase()
const { db } = database
afterAll(() => database.close())

const mine = newId('org')
const theirs = newId('org')
beforeAll(async () => {
  for (const id of [mine, theirs]) await insertOrganization(id)
})

/** Belongs to the cloud account that has the same id as the organization, but for its prefix. */
const eventOf = (organizationId: string) => ({
  id: newId('evt'),
  organizationId,
  cloudAccountId: accountOf(organizationId),
  externalEventId: newId('evt'),
  source: 'cloud.ecs',
  detailType: 'Task changed',
  occurredAt: new Date(),
  event: {},
})

const accountOf = (organizationId: string) => organizationId.replace('org', 'ca')

async function insertOrganization(id: string): Promise<void> {
  await db.insert(organizations).values({ id, name: 'A', givenId: id })
  const account = { status: 'AWAITING_CONNECTION', externalId: id, eventSecretHash: id } as const
  await db.insert(cloudAccounts).values({ id: accountOf(id), organizationId: id, name: 'A', givenId: id, ...account })
}

const storedCount = async (tx: Db, organizationId: string) =>
  (await selectCountedPage(tx, infrastructureEvents, organizationId, undefined, { limit: 1, before: undefined }))
    .totalCount

const realCount = (tx: Db, organizationId: string) =>
  tx.$count(infrastructureEvents, eq(infrastructureEvents.organizationId, organizationId))

/** Changes rows of both organizations in a transaction, and rolls it back if requested. */
async function change(tx: Db, { inserted, deleted, undone }: Change): Promise<void> {
  const work = async (tx: Db) => {
    if (inserted > 0) {
      const rows = Array.from({ length: inserted }, (_, n) => eventOf(n % 3 === 0 ? theirs : mine))
      await tx.insert(infrastructureEvents).values(rows)
    }
    await breathe() // so that others come in between
    const some = tx
      .select({ id: infrastructureEvents.id })
      .from(infrastructureEvents)
      .limit(deleted)
      .for('update', { skipLocked: true })
    await tx.delete(infrastructureEvents).where(inArray(infrastructureEvents.id, some))
    if (undone) throw undo
  }
  await tx.transaction(work).catch((error) => {
    if (error !== undo) throw error
  })
}
const undo = new Error('undo')

type Change = { inserted: number; deleted: number; undone: boolean }
const changes = fc.array(fc.record({ inserted: fc.nat(5), deleted: fc.nat(4), undone: fc.boolean() }), {
  minLength: 12,
  maxLength: 12,
})

test('the kept count is the real one, whatever is inserted, deleted and undone at once', async () => {
  await fc.assert(
    fc.asyncProperty(changes, async (many) => {
      await Promise.all(many.map((one) => change(db, one)))
      for (const organizationId of [mine, theirs]) {
        expect(await storedCount(db, organizationId)).toBe(await realCount(db, organizationId))
      }
    }),
    { numRuns: 25 },
  )
  expect(await realCount(db, mine)).toBeGreaterThan(0)
})

test('a transaction counts what it did itself, and others do not before it is committed', async () => {
  const before = await storedCount(db, mine)
  const work = db.transaction(async (tx) => {
    await tx.insert(infrastructureEvents).values([eventOf(mine), eventOf(mine)])
    expect(await storedCount(tx, mine)).toBe(before + 2)
    await tx.delete(infrastructureEvents).where(eq(infrastructureEvents.organizationId, mine))
    expect(await storedCount(tx, mine)).toBe(0)
    throw undo
  })
  await expect(work).rejects.toBe(undo)
  expect(await storedCount(db, mine)).toBe(before)
})

test('two transactions that insert into the same list do not wait for each other', async ({ skip }) => {
  if (!process.env.TEST_DATABASE_URL) return skip('skipped: PostgreSQL') // the embedded database has one connection
  const before = await storedCount(db, mine)
  await db.transaction(async (first) => {
    await first.insert(infrastructureEvents).values(eventOf(mine))
    await database
      .ofOrganization(mine)
      .transaction((second) => second.insert(infrastructureEvents).values(eventOf(mine)))
    expect(await storedCount(db, mine)).toBe(before + 1)
  })
  expect(await storedCount(db, mine)).toBe(before + 2)
})

test('an organization counts its own rows only', async () => {
  const tenant = database.ofOrganization(theirs)
  const before = await storedCount(tenant, theirs)
  await tenant.insert(infrastructureEvents).values(eventOf(theirs))
  expect(await storedCount(tenant, theirs)).toBe(before + 1)
  expect(await storedCount(tenant, mine)).toBe(0)
})

test('rows that go with others are no longer counted', async () => {
  const gone = newId('org')
  await insertOrganization(gone)
  await db.insert(infrastructureEvents).values([eventOf(gone), eventOf(gone)])
  expect(await storedCount(db, gone)).toBe(2)
  await db.delete(organizations).where(eq(organizations.id, gone))
  expect(await storedCount(db, gone)).toBe(0)
})

test('rows from before there was a count are in it', async () => {
  await db.execute(sql`create table grown (id text primary key, organization_id text not null)`)
  await db.execute(sql`insert into grown select n, ${mine} from generate_series(1, 7) n`)
  await db.execute(sql`select keep_count_of('grown')`)
  await db.execute(sql`insert into grown select n, ${mine} from generate_series(8, 10) n`)
  const kept = await db.select().from(rowCounts).where(eq(rowCounts.tableName, 'grown'))
  expect(kept.reduce((sum, { rowCount }) => sum + rowCount, 0)).toBe(10)
})

test('the writers of a list share a few rows', async () => {
  for (let n = 0; n < 50; n++) await db.insert(infrastructureEvents).values(eventOf(mine))
  const kept = await db
    .select()
    .from(rowCounts)
    .where(eq(rowCounts.tableName, getTableName(infrastructureEvents)))
  expect(kept.length).toBeLessThan(45) // two organizations, at most 20 connections each and what the tests opened
})
