import { EventEmitter, once } from 'node:events'
import { setImmediate as othersTurn } from 'node:timers/promises'
import { apiErrors } from '@sluice/contract'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { systemClock } from '../clock.ts'
import { sql } from '../db/drizzle.ts'

/** Number of transactions that block the pool; at least its number of connections. */
const holders = 30

/** Starts an API in which any wait for a connection is an overload, with a clock that the test advances. */
async function overloadable() {
  let nowMs = 0
  const arrivals = new EventEmitter()
  const world = await startHttpWorld((app) => void app.server.on('request', () => arrivals.emit('request')), {
    admissionTargetMs: 0,
    rateClock: { ...systemClock, monotonicMs: () => nowMs },
  })
  onTestFinished(() => world[Symbol.asyncDispose]())
  const owner = await seedOrganization(world.db)
  const { ask, ofOrganization } = world
  await ask('/auth/whoami', { key: owner.key }) // caches the caller for later requests
  let made = 0
  const create = (key = owner.key) => {
    made += 1
    const body = JSON.stringify({ data: { name: 'P', givenId: `project-${made}` } })
    return ask('/projects', { key, method: 'POST', body, headers: { 'content-type': 'application/json' } })
  }
  /** Sends requests while the organization uses all of its connections. */
  const sendLate = async (send: () => ReturnType<typeof ask>) => {
    nowMs += 1_000 // earlier queueing delays expire
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const db = ofOrganization(owner.organizationId, undefined, 'control') // which may use all of them
    const begun = Promise.withResolvers<void>()
    const holds = Array.from({ length: holders }, () =>
      db.transaction(async (tx) => {
        await tx.execute(sql`select 1`)
        begun.resolve()
        await held
      }),
    )
    await begun.promise
    const sent: ReturnType<typeof send>[] = []
    while (sent.length < 3) {
      const arrived = once(arrivals, 'request')
      sent.push(send())
      await arrived
    }
    for (let turn = 0; turn < 20; turn += 1) await othersTurn() // until the requests wait for a connection
    release()
    await Promise.all(holds)
    await Promise.all(sent)
    nowMs += 1_000
  }
  return { ...world, owner, create, sendLate }
}

test('work that waits too long for connections is rejected; reads and control requests are not', async () => {
  const { ask, owner, create, sendLate } = await overloadable()
  const late = await eventually(
    'work to be limited',
    async () => {
      await sendLate(create)
      return Promise.all(Array.from({ length: 10 }, () => create()))
    },
    (answers) => answers.some(({ status }) => status === 429),
  )
  expect(new Set(late.map(({ status }) => status)), 'something is always admitted').toEqual(new Set([201, 429]))
  const rejected = late.find(({ status }) => status === 429)
  expect(rejected?.body).toMatchObject({ code: apiErrors.rateLimited.code, metadata: { reason: 'organization' } })
  expect(rejected?.body.message).toMatch(/wait \d+ ms for their turn/)
  expect(rejected?.body.description).toContain('retry-after')
  expect(Number(rejected?.headers.get('retry-after'))).toBeGreaterThan(0)
  const reads = await Promise.all(Array.from({ length: 10 }, () => ask('/projects', { key: owner.key })))
  expect(reads.map(({ status }) => status)).toEqual(Array(10).fill(200))
  const [first] = reads[0]?.body.data ?? []
  const control = await Promise.all(
    Array.from({ length: 10 }, () =>
      ask(`/projects/${first.id}`, {
        key: owner.key,
        method: 'PATCH',
        body: JSON.stringify({ data: { name: 'Q' } }),
        headers: { 'content-type': 'application/json' },
      }),
    ),
  )
  expect(control.map(({ status }) => status)).toEqual(Array(10).fill(200))
})

test('reads that wait too long are rejected without affecting other classes', async () => {
  const { ask, owner, create, sendLate } = await overloadable()
  const read = () => ask('/projects', { key: owner.key })
  await eventually(
    'reads to be limited',
    async () => {
      await sendLate(read)
      return Promise.all(Array.from({ length: 10 }, read))
    },
    (answers) => answers.some(({ status }) => status === 429),
  )
  expect((await create()).status).toBe(201)
})
