import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCloud } from '../../cloud/adapter/access.ts'
import { systemClock } from '../../platform/clock.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { later } from '../deployments/execution/state.ts'
import { runRehearsal } from './run.ts'
import { finishRehearsal, leaseRehearsal, renewLease } from './store.ts'
import { rehearsals } from './tables.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
const cloud = openCloud()
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(async () => {
  cloud.close()
  await database.close()
})

const now = new Date('2030-01-01T00:00:00.000Z')
const minuteMs = 60_000

/** Inserts a queued rehearsal, or one that workers have started this many times. */
async function rehearsalWith(change: Partial<typeof rehearsals.$inferInsert>): Promise<string> {
  const { db } = database
  const { organizationId } = await createOneOfEverything(db)
  const ours = eq(rehearsals.organizationId, organizationId)
  await db
    .update(rehearsals)
    .set({ status: 'PENDING', wakeAt: now, ...change })
    .where(ours)
  const [row] = await db.select().from(rehearsals).where(ours)
  if (!row) throw new Error('there is no rehearsal')
  return row.id
}

const find = async (id: string) => (await database.db.select().from(rehearsals).where(eq(rehearsals.id, id)))[0]

test('one worker runs a rehearsal at a time; after its lease has expired, another repeats it', async () => {
  const { db } = database
  const id = await rehearsalWith({})
  const first = await leaseRehearsal(db, id, now, later(now, minuteMs))
  expect(first).toMatchObject({ status: 'IN_PROGRESS', attempts: 1 })
  expect(await leaseRehearsal(db, id, now, later(now, minuteMs)), 'while the lease lasts').toBeUndefined()
  const second = await leaseRehearsal(db, id, later(now, minuteMs), later(now, 2 * minuteMs))
  expect(second).toMatchObject({ attempts: 2 })

  if (!first) throw new Error('the rehearsal was not leased')
  await finishRehearsal(db, first, { status: 'SUCCESS', scenarios: [], assumptions: [] }, now)
  expect(await find(id), 'what a worker stores that was gone').toMatchObject({ status: 'IN_PROGRESS' })
})

test('a rehearsal that was started three times without a result fails', async () => {
  const id = await rehearsalWith({ status: 'IN_PROGRESS', attempts: 3, leasedUntil: now })
  const pace = { minMs: 1, maxMs: 1, pausedMaxMs: 1, crowdMs: 0 }
  const parts = { cloud, clock: systemClock, pace, log: pino({ level: 'silent' }), findPrice: async () => undefined }
  await runRehearsal(
    { ...parts, clock: { ...systemClock, now: () => later(now, minuteMs) } },
    database.db,
    id,
    new AbortController().signal,
  )
  expect(await find(id)).toMatchObject({
    status: 'ERROR',
    error: { message: 'Sluice began it 3 times and never came to its end.' },
    wakeAt: null,
    release: null,
  })
})

test('a lease is renewed only by the worker that holds it', async () => {
  const { db } = database
  const id = await rehearsalWith({})
  const first = await leaseRehearsal(db, id, now, later(now, minuteMs))
  if (!first) throw new Error('the rehearsal was not leased')
  await renewLease(db, first, later(now, 2 * minuteMs))
  expect(await leaseRehearsal(db, id, later(now, minuteMs), later(now, 3 * minuteMs))).toBeUndefined()
  const second = await leaseRehearsal(db, id, later(now, 2 * minuteMs), later(now, 3 * minuteMs))
  expect(second).toMatchObject({ attempts: 2 })
  await renewLease(db, first, later(now, 9 * minuteMs))
  expect(await find(id)).toMatchObject({ leasedUntil: later(now, 3 * minuteMs) })
})
