import { afterAll, expect, test } from 'vitest'
import { asc, eq } from '../../platform/db/drizzle.ts'
import { daysBefore } from '../../platform/db/forgetting.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { deleteExpiredEvents } from './retention.ts'
import { infrastructureEvents } from './tables.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

test('expired events are deleted, except those that are still to be examined', async () => {
  const { db } = database
  const { byPath } = await createOneOfEverything(db)
  const of = eq(infrastructureEvents.id, byPath['infrastructure-events'] ?? '')
  const [present] = await db.select().from(infrastructureEvents).where(of)
  if (!present) throw new Error('there is one of everything')
  const now = new Date()
  const old = (days: number, wakeAt: Date | null = null) => {
    const id = firstIdAt('evt', daysBefore(now, days))
    return { ...present, id, externalEventId: `${days} days old`, wakeAt }
  }
  await db.insert(infrastructureEvents).values([old(40), old(31), old(29), old(35, now)])

  await deleteExpiredEvents(30)(db, now)
  const left = await db.select().from(infrastructureEvents).orderBy(asc(infrastructureEvents.id))
  expect(left.map(({ externalEventId }) => externalEventId)).toEqual([
    '35 days old',
    '29 days old',
    present.externalEventId,
  ])
})
