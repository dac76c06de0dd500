import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { serviceAuthor } from './author.ts'
import { recordChange } from './record.ts'
import { auditEvents } from './tables.ts'

const database = await openTestDatabase()
afterAll(() => database.close())
beforeAll(() =>
  recordChange(database.db, serviceAuthor('org_1'), { action: 'a.b', resourceType: 'a', resourceId: 'a_1' }),
)

const attempts: [string, (db: Db) => Promise<unknown>][] = [
  ['changes', async (db) => db.update(auditEvents).set({ actorName: 'Nobody' })],
  ['deletes', async (db) => db.delete(auditEvents).where(eq(auditEvents.action, 'a.b'))],
  ['empties', async (db) => db.execute(sql`truncate audit_events`)],
]

test(
  'even the owner of the table cannot change an event',
  everyCase(attempts, async (_, attempt) => {
    await expect(attempt(database.db)).rejects.toMatchObject({ cause: { code: '23001' } })
    expect(await database.db.$count(auditEvents)).toBe(1)
  }),
)

test(
  'a request of an organization cannot change an event',
  everyCase(attempts, async (_, attempt) => {
    await expect(attempt(database.ofOrganization('org_1'))).rejects.toMatchObject({ cause: { code: '42501' } })
    expect(await database.db.$count(auditEvents)).toBe(1)
  }),
)

test('the retention role can neither change events nor truncate the log', async () => {
  for (const [what, attempt] of attempts.filter(([name]) => name !== 'deletes')) {
    const tried = database.db.transaction(async (tx) => {
      await tx.execute(sql`set local role sluice_audit_retention`)
      await attempt(tx)
    })
    await expect(tried, what).rejects.toMatchObject({ cause: { code: '42501' } })
  }
  expect(await database.db.$count(auditEvents)).toBe(1)
})
