import { apiErrors } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { type SeededOrganization, seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { moduleInstances } from './tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let other: SeededOrganization
/** Newest first, in list order. */
let ids: string[]
let othersIds: string[]

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  other = await seedOrganization(world.db)
  ids = (await seedInstances(world.db, owner.organizationId, 25)).reverse()
  othersIds = await seedInstances(world.db, other.organizationId, 3)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const list = (query = '', key = owner.key) => world.ask(`/module-instances${query}`, { key })
const idsIn = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)

test('an instance is returned with every required field and no others', async () => {
  const { status, body } = await world.ask(`/module-instances/${ids[0]}`, { key: owner.key })
  expect(status).toBe(200)
  expect(body).toEqual({
    data: {
      id: ids[0],
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
      organizationId: owner.organizationId,
      projectId: expect.stringMatching(/^prj_/),
      environmentId: expect.stringMatching(/^env_/),
      moduleDefinitionId: expect.stringMatching(/^md_/),
      moduleVersionId: expect.stringMatching(/^mv_/),
      givenId: expect.any(String),
      name: 'A',
      type: 'web',
      status: 'PENDING',
      input: { replicas: 2 },
    },
  })
})

test('optional fields are returned if set', async () => {
  const error = { code: 'Sluice:Test:FAILED', message: 'no', details: [{ title: 'a', render: 'list' as const }] }
  const id = ids[24] ?? ''
  await world.db
    .update(moduleInstances)
    .set({ description: 'd', stackId: 's', error })
    .where(eq(moduleInstances.id, id))
  const { body } = await world.ask(`/module-instances/${id}`, { key: owner.key })
  expect(body.data).toMatchObject({ description: 'd', stackId: 's', error })
})

test('instances of other organizations look as if they did not exist', async () => {
  const others = await world.ask(`/module-instances/${othersIds[0]}`, { key: owner.key })
  const nobodys = await world.ask('/module-instances/mi_nobody', { key: owner.key })
  expect([others.status, nobodys.status]).toEqual([404, 404])
  expect(others.body.code).toBe(apiErrors.moduleInstanceNotFound.code)
  expect(others.body.message.replace(othersIds[0], 'mi_nobody')).toBe(nobodys.body.message)
  expect(idsIn((await list(`?ids=${othersIds[0]}`)).body)).toEqual([])
})

test('pages follow each other, newest first, without gaps or duplicates', async () => {
  const first = await list()
  expect(first.body.meta).toEqual({ limit: 20, nextCursor: expect.stringMatching(/^[\w-]+$/), totalCount: 25 })
  const second = await list(`?cursor=${first.body.meta.nextCursor}`)
  expect(second.body.meta).toEqual({ limit: 20, nextCursor: '', totalCount: 25 })
  expect([...idsIn(first.body), ...idsIn(second.body)]).toEqual(ids)
})

test('a page that ends with the list is the last one', async () => {
  expect((await list('?limit=25')).body.meta.nextCursor).toBe('')
  expect((await list('?limit=24')).body.meta.nextCursor).not.toBe('')
})

test('the page size can change between pages', async () => {
  const first = await list('?limit=2')
  const second = await list(`?limit=3&cursor=${first.body.meta.nextCursor}`)
  expect(idsIn(second.body)).toEqual(ids.slice(2, 5))
})

test('an instance created meanwhile does not affect later pages', async () => {
  const late = await seedOrganization(world.db)
  const [oldest, middle] = await seedInstances(world.db, late.organizationId, 2)
  const first = await list('?limit=1', late.key)
  await seedInstances(world.db, late.organizationId, 1)
  const second = await list(`?limit=1&cursor=${first.body.meta.nextCursor}`, late.key)
  expect([idsIn(first.body), idsIn(second.body)]).toEqual([[middle], [oldest]])
})

test('filters restrict the list and its count', async () => {
  const { body: one } = await world.ask(`/module-instances/${ids[3]}`, { key: owner.key })
  const { projectId, environmentId, moduleDefinitionId, givenId } = one.data
  for (const [query, count] of [
    [`ids=${ids[1]}&ids=${ids[2]}&ids=mi_nobody`, 2],
    [`projectId=${projectId}`, 25],
    [`environmentId=${environmentId}&moduleDefinitionId=${moduleDefinitionId}`, 25],
    [`givenId=${givenId}`, 1],
    [`givenId=${givenId}&projectId=prj_other`, 0],
  ] as const) {
    expect((await list(`?${query}`)).body.meta.totalCount, query).toBe(count)
  }
})

test('a cursor works only unmodified and with the same list, organization and filters', async () => {
  const { body } = await list('?limit=1')
  const cursor: string = body.meta.nextCursor
  const altered = (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1)
  const wrong = [
    list(`?cursor=${altered}`),
    list(`?cursor=${cursor.slice(0, -1)}`),
    list(`?cursor=${cursor}!`),
    list('?cursor=x'),
    list(`?cursor=${Buffer.from(`${ids[5]}`).toString('base64url')}`),
    list(`?cursor=${cursor}&givenId=a`),
    list(`?cursor=${cursor}`, other.key),
    world.ask(`/cloud-accounts?cursor=${cursor}`, { key: owner.key }),
  ]
  for (const { status, body } of await Promise.all(wrong)) {
    expect(body.code).toBe(apiErrors.cursorInvalid.code)
    expect(status).toBe(400)
  }
  expect((await list(`?cursor=${cursor}`)).status).toBe(200)
})
