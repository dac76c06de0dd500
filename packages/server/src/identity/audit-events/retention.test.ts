import { afterAll, beforeAll, expect, test } from 'vitest'
import { asc, eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { organizations } from '../organizations/tables.ts'
import { serviceAuthor } from './author.ts'
import { deleteExpiredAuditEvents, removeAuditEvents } from './retention.ts'
import { auditEvents } from './tables.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

const now = new Date('2026-11-20T10:00:00.000Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)

const linesOf = (organizationId: string) =>
  database.db
    .select()
    .from(auditEvents)
    .where(eq(auditEvents.organizationId, organizationId))
    .orderBy(asc(auditEvents.id))

const line = (organizationId: string, days: number) => ({
  id: newId('aud'),
  ...serviceAuthor(organizationId),
  action: 'a.b',
  resourceType: 'a',
  resourceId: `${days} days old`,
  createdAt: daysAgo(days),
})

beforeAll(async () => {
  const named = (id: string) => ({ id, name: id, givenId: id })
  await database.db.insert(organizations).values([named('org_1'), { ...named('org_2'), auditRetentionDays: 60 }])
})

test('events expire after the longer of both periods, and the removal is recorded', async () => {
  const lines = [line('org_1', 40), line('org_1', 32), line('org_1', 1), line('org_2', 59), line('org_ended', 40)]
  await database.db.insert(auditEvents).values(lines)
  await deleteExpiredAuditEvents(30)(database.db, now)
  const [kept, told, ...others] = await linesOf('org_1')
  expect(kept).toMatchObject({ resourceId: '1 days old' })
  expect(told).toMatchObject({
    actorType: 'SERVICE',
    action: 'audit-events.forget',
    details: { removed: 2, effectiveDays: 30, before: '2026-10-21T00:00:00.000Z' },
  })
  expect(others).toEqual([])
  expect(await linesOf('org_2')).toMatchObject([{ resourceId: '59 days old' }])
  expect(await linesOf('org_ended')).toMatchObject([{ action: 'audit-events.forget' }])

  await deleteExpiredAuditEvents(30)(database.db, now)
  expect(await linesOf('org_1')).toHaveLength(2)
})

test('removal continues in batches, each of which records its size', async () => {
  for (let round = 0; round < 6; round++) {
    await database.db.insert(auditEvents).values(Array.from({ length: 1_000 }, () => line('org_many', 40)))
  }
  await deleteExpiredAuditEvents(30)(database.db, now)
  const left = await linesOf('org_many')
  expect(left.map(({ details }) => details?.removed)).toEqual([5_000, 1_000])
})

test('the remaining event names who removed the others', async () => {
  await database.db.insert(auditEvents).values([line('org_over', 42), line('org_over', 41)])
  const author = { ...serviceAuthor('org_over'), actorType: 'MEMBERSHIP', actorId: 'mem_1', actorName: 'Ada' } as const
  await removeAuditEvents(database.db, { author, before: now })
  expect(await linesOf('org_over')).toMatchObject([{ actorName: 'Ada', details: { removed: 2 } }])
})

test('no one can remove an event of the last 30 days', async () => {
  const young = { ...line('org_young', 0), createdAt: new Date(Date.now() - 29 * 86_400_000) }
  await database.db.insert(auditEvents).values(young)
  const removal = removeAuditEvents(database.db, { author: serviceAuthor('org_young'), before: new Date() })
  await expect(removal).rejects.toMatchObject({ cause: { code: '23001' } })
  expect(await linesOf('org_young')).toHaveLength(1)
})

test('the retention role applies only to its own transaction', async () => {
  await deleteExpiredAuditEvents(30)(database.db, now)
  await expect(database.db.delete(auditEvents)).rejects.toMatchObject({ cause: { code: '23001' } })
})
