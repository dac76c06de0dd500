import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../platform/ids.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../testing/http-world.ts'
import { moduleDefinitions } from './tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let own: string
let globalOne: string
let othersOwn: string

async function define(columns: Partial<typeof moduleDefinitions.$inferInsert> & { organizationId: string }) {
  const id = newId('md')
  await world.db.insert(moduleDefinitions).values({ id, name: 'Web', description: 'A web', type: id, ...columns })
  return id
}

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  const other = await seedOrganization(world.db)
  const active = { status: 'ACTIVE', latestVersion: '1.4.0', latestVersionId: 'mv_1' } as const
  own = await define({ organizationId: owner.organizationId })
  globalOne = await define({ organizationId: other.organizationId, isGlobalPublished: true, ...active })
  othersOwn = await define({ organizationId: other.organizationId })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const ask = (path: string) => world.ask(`/module-definitions${path}`, { key: owner.key })
const idsFor = async (query: string) => (await ask(query)).body.data.map(({ id }: { id: string }) => id).sort()

test('an organization sees its own definitions and the globally published ones', async () => {
  expect(await idsFor('')).toEqual([own, globalOne].sort())
  expect((await ask(`/${own}`)).body.data).toMatchObject({ organizationId: owner.organizationId, status: 'DRAFT' })
  expect((await ask(`/${othersOwn}`)).status).toBe(404)
})

test('a global definition does not tell whose it is', async () => {
  const { body } = await ask(`/${globalOne}`)
  expect(body.data).toEqual({
    id: globalOne,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    name: 'Web',
    description: 'A web',
    status: 'ACTIVE',
    type: globalOne,
    latestVersion: '1.4.0',
    latestVersionId: 'mv_1',
  })
})

test('status and type narrow the list', async () => {
  expect(await idsFor('?status=ACTIVE')).toEqual([globalOne])
  expect(await idsFor('?status=DRAFT')).toEqual([own])
  expect(await idsFor(`?type=${own}`)).toEqual([own])
  expect((await ask('?status=active')).status).toBe(400)
})
