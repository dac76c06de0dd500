import { randomUUID } from 'node:crypto'
import { apiErrors, routes } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import { sql } from '../../platform/db/drizzle.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { handle } from '../../platform/http/handle.ts'
import { probeOf, type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { deleteResponsesBefore } from './store.ts'
import { idempotentAnswers } from './tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let notifiedCount = 0

beforeAll(async () => {
  world = await startHttpWorld((app) => {
    // Writes a record with the request, in a transaction as real operations have it.
    handle(app, probeOf(routes.createDeployment), async ({ body, caller, db, request, afterwards }) => {
      const { description } = body.data
      const resourceId = randomUUID()
      await db.transaction((tx) =>
        recordChange(tx, { caller, request }, { action: 'tests.create', resourceType: 'test', resourceId }),
      )
      afterwards(async () => void notifiedCount++)
      if (description === 'refused') throw new ApiError('queueFull', 'Come back later.')
      if (description === 'broken') throw new Error('broken')
      return { data: { ...wire, id: resourceId, description } }
    })
  })
  owner = await seedOrganization(world.db)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const moment = '2026-03-05T16:04:41Z'
const wire = {
  createdAt: moment,
  updatedAt: moment,
  organizationId: 'org_1',
  projectId: 'prj_1',
  environmentId: 'env_1',
  moduleInstanceId: 'mi_1',
  status: 'PENDING',
  deploymentType: 'cloud:ecs',
  triggerSource: 'API',
} as const

const create = (idempotencyKey: string, description = 'Release', key = owner.key) =>
  world.ask('/probe/deployments', {
    key,
    method: 'POST',
    body: JSON.stringify({ data: { description, moduleInstanceId: 'mi_1' } }),
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
  })

const records = () => world.db.$count(auditEvents)

test('the same request with the same key is executed once and answered twice', async () => {
  const before = { records: await records(), told: notifiedCount }
  const first = await create('a')
  const second = await create('a')
  expect(first.status).toBe(201)
  expect(first.headers.get('idempotency-replayed')).toBe(null)
  expect(second.status).toBe(201)
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect(second.body).toEqual(first.body)
  expect({ records: await records(), told: notifiedCount }).toEqual({
    records: before.records + 1,
    told: before.told + 1,
  })
})

test('a different request with the same key is rejected', async () => {
  await create('b', 'one')
  const { status, body } = await create('b', 'two')
  expect(body.code).toBe(apiErrors.idempotencyKeyReused.code)
  expect(status).toBe(422)
})

test('one of many concurrent requests is executed, and all get its response', async () => {
  const before = await records()
  const answers = await Promise.all(Array.from({ length: 12 }, () => create('c')))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
  expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
  expect(await records()).toBe(before + 1)
})

test.each([
  ['refused', 422],
  ['broken', 500],
])('a request that was %s leaves nothing behind and can be repeated', async (description, status) => {
  const before = await records()
  expect((await create(`d-${description}`, description)).status).toBe(status)
  expect((await create(`d-${description}`, description)).status).toBe(status)
  expect(await records()).toBe(before)
  expect((await create(`d-${description}`, 'mended')).status).toBe(201)
})

test('a key belongs to its caller', async () => {
  const colleague = await addMember(world.db, owner.organizationId, 'OWNER')
  const stranger = await seedOrganization(world.db)
  const ids = [owner.key, colleague, stranger.key].map(async (key) => (await create('e', 'mine', key)).body.data.id)
  expect(new Set(await Promise.all(ids)).size).toBe(3)
})

test('after a day the key can be used again', async () => {
  const first = await create('f')
  await world.db.execute(sql`update idempotent_answers set created_at = now() - interval '24 hours 1 second'`)
  const second = await create('f', 'another')
  expect(second.status).toBe(201)
  expect(second.body.data.id).not.toBe(first.body.data.id)
})

test('expired responses are deleted, and no others', async () => {
  await create('g-old')
  await world.db.execute(sql`update idempotent_answers set created_at = now() - interval '2 days'`)
  await create('g-new')
  await deleteResponsesBefore(world.db, new Date(Date.now() - 86_400_000))
  expect((await world.db.select().from(idempotentAnswers)).map(({ key }) => key)).toEqual(['g-new'])
})

test('requests and responses cannot be read in the database', async () => {
  await create('h', 'a-secret-word')
  const rows = await world.db.select().from(idempotentAnswers)
  expect(JSON.stringify(rows)).not.toContain('a-secret-word')
})

test(
  'an invalid idempotency key is rejected',
  everyCase(['', ' ', 'ü', 'x'.repeat(201), 'two words'], async (key) => {
    const { status, body } = await create(Buffer.from(key).toString('latin1'))
    expect(body.code).toBe(apiErrors.requestInvalid.code)
    expect(status).toBe(400)
  }),
)

test('without a key every request is executed', async () => {
  const before = await records()
  const body = JSON.stringify({ data: { description: 'x', moduleInstanceId: 'mi_1' } })
  await world.send('/probe/deployments', owner.key, body)
  await world.send('/probe/deployments', owner.key, body)
  expect(await records()).toBe(before + 2)
})
