import { apiErrors, type ModuleDefinition } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addServiceAccount } from '../../testing/members.ts'
import { moduleInstances } from '../module-instances/tables.ts'
import { moduleDefinitions } from './tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let superadmin: Client
let publishers: Record<'named' | 'other', Client>
let own: string
let globalOne: string
let othersOwn: string

async function define(columns: Partial<typeof moduleDefinitions.$inferInsert> & { organizationId: string }) {
  const id = newId('md')
  await world.db.insert(moduleDefinitions).values({ id, name: 'Web', description: 'A web', type: id, ...columns })
  return id
}

beforeAll(async () => {
  const [publisher, stranger] = [newId('sa'), newId('sa')]
  world = await startHttpWorld(undefined, { modulePublishers: [publisher] })
  owner = await seedOrganization(world.db)
  const other = await seedOrganization(world.db, { globalRole: 'SUPERADMIN' })
  client = new Client(world.url, owner.key)
  superadmin = new Client(world.url, other.key)
  const active = { status: 'ACTIVE', latestVersion: '1.4.0', latestVersionId: 'mv_1' } as const
  const { organizationId } = other
  publishers = {
    named: new Client(world.url, await addServiceAccount(world.db, organizationId, 'ADMIN', publisher)),
    other: new Client(world.url, await addServiceAccount(world.db, organizationId, 'ADMIN', stranger)),
  }
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

test('a global definition does not reveal its organization', async () => {
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

test('status and type filter the list', async () => {
  expect(await idsFor('?status=ACTIVE')).toEqual([globalOne])
  expect(await idsFor('?status=DRAFT')).toEqual([own])
  expect(await idsFor(`?type=${own}`)).toEqual([own])
  expect((await ask('?status=active')).status).toBe(400)
})

const create = (type: string, by = client) =>
  by.done<ModuleDefinition>('POST', '/module-definitions', { data: { type, name: 'Web', description: '' } })

test('a new definition is a draft', async () => {
  const definition = await create('new-one')
  expect(definition).toEqual({
    id: expect.stringMatching(/^md_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    type: 'new-one',
    name: 'Web',
    description: '',
    status: 'DRAFT',
  })
  expect(await client.done('GET', `/module-definitions/${definition.id}`)).toEqual(definition)
})

test('a type is unique among the definitions that an organization sees', async () => {
  const theirs = await create('private-type', superadmin)
  await create('private-type')
  const again = { data: { type: 'private-type', name: 'Web', description: '' } }
  expect(await client.ask('POST', '/module-definitions', again)).toMatchObject(apiErrorOf('moduleDefinitionTypeTaken'))
  // Published globally, the type would be visible twice.
  const publish = { data: { isGlobalPublished: true } }
  expect(await superadmin.ask('PATCH', `/module-definitions/${theirs.id}`, publish)).toMatchObject(
    apiErrorOf('moduleDefinitionTypeTaken'),
  )
  const data = { type: globalOne, name: 'Web', description: '' }
  await world.db.update(moduleDefinitions).set({ type: 'global-type' }).where(eq(moduleDefinitions.id, globalOne))
  expect(await client.ask('POST', '/module-definitions', { data: { ...data, type: 'global-type' } })).toMatchObject(
    apiErrorOf('moduleDefinitionTypeTaken'),
  )
})

test(
  'an invalid module type is rejected',
  everyCase(['Web', '1web', 'web_1', '', 'w'.repeat(101)], async (type) => {
    const answer = await client.ask('POST', '/module-definitions', { data: { type, name: 'Web', description: '' } })
    expect(answer).toMatchObject(apiErrorOf('requestInvalid'))
  }),
)

test('name and description can change, the type cannot', async () => {
  const before = await create('renamed')
  const path = `/module-definitions/${before.id}`
  expect(await client.done('PATCH', path, { data: { name: 'New' } })).toEqual({
    ...before,
    name: 'New',
    updatedAt: expect.any(String),
  })
  expect(await client.done('PATCH', path, { data: {} })).toMatchObject({ name: 'New', description: '' })
  expect(await client.ask('PATCH', path, { data: { type: 'other' } })).toMatchObject(apiErrorOf('requestInvalid'))
})

test('only a superadmin can publish globally', async () => {
  const definition = await create('for-all', superadmin)
  const path = `/module-definitions/${definition.id}`
  const publish = { data: { isGlobalPublished: true } }
  expect(await client.ask('PATCH', path, publish)).toMatchObject(apiErrorOf('moduleDefinitionNotFound'))
  const mine = await create('for-us')
  expect(await client.ask('PATCH', `/module-definitions/${mine.id}`, publish)).toMatchObject(apiErrorOf('forbidden'))
  await superadmin.done('PATCH', path, publish)
  expect(await client.done('GET', path)).toMatchObject({ type: 'for-all' })
  await superadmin.done('PATCH', path, { data: { isGlobalPublished: false } })
  expect(await client.ask('GET', path)).toMatchObject(apiErrorOf('moduleDefinitionNotFound'))
})

const version = { version: '1.0.0', description: 'First.', config: { inputs: [] } }

test('a definition is created together with its first version, or not at all', async () => {
  const made = (type: string, config: object) =>
    client.ask('POST', '/module-definitions', {
      data: { type, name: 'Web', description: '', firstVersion: { ...version, config } },
    })
  const whole = await made('whole', { inputs: [] })
  expect(whole).toMatchObject({ status: 201, body: { data: { status: 'ACTIVE', latestVersion: '1.0.0' } } })
  const { id, latestVersionId } = (whole.body as { data: ModuleDefinition }).data
  expect(await client.done('GET', `/module-versions/${latestVersionId}`)).toMatchObject({
    moduleDefinitionId: id,
    ...version,
  })
  const faulty = await made('faulty', { inputs: [{ id: 'a', type: 'none' }] })
  expect(faulty).toMatchObject({
    ...apiErrorOf('moduleConfigInvalid'),
    body: { details: [{ items: [expect.stringMatching(/^\$\.data\.firstVersion\.config\.inputs/)] }] },
  })
  expect(await idsFor('?type=faulty')).toEqual([])
})

test('a service account in the settings publishes a new type globally in one request', async () => {
  const forAll = (type: string) => ({
    data: { type, name: 'Web', description: '', firstVersion: version, isGlobalPublished: true },
  })
  expect(await publishers.other.ask('POST', '/module-definitions', forAll('library'))).toMatchObject(
    apiErrorOf('forbidden'),
  )
  const { id } = await publishers.named.done<ModuleDefinition>('POST', '/module-definitions', forAll('library'))
  expect(await client.done('GET', `/module-definitions/${id}`)).toMatchObject({ type: 'library', status: 'ACTIVE' })
  await create('their-own')
  expect(await publishers.named.ask('POST', '/module-definitions', forAll('their-own'))).toMatchObject(
    apiErrorOf('moduleDefinitionTypeTaken'),
  )
})

test('a global definition can be changed only by its owner', async () => {
  const path = `/module-definitions/${globalOne}`
  for (const [method, body] of [['PATCH', { data: { name: 'Mine' } }], ['DELETE']] as const) {
    expect(await client.ask(method, path, body)).toMatchObject(apiErrorOf('moduleDefinitionNotFound'))
  }
})

test('a definition in use can be neither deleted nor unpublished', async () => {
  const [id = ''] = await seedInstances(world.db, owner.organizationId, 1)
  const instance = await client.done<{ moduleDefinitionId: string; givenId: string }>('GET', `/module-instances/${id}`)
  expect(await client.ask('DELETE', `/module-definitions/${instance.moduleDefinitionId}`)).toMatchObject({
    status: 409,
    body: {
      code: apiErrors.moduleDefinitionInUse.code,
      details: [{ items: [`module instance ${instance.givenId} (${id})`] }],
    },
  })
  await world.db.update(moduleInstances).set({ moduleDefinitionId: globalOne }).where(eq(moduleInstances.id, id))
  const path = `/module-definitions/${globalOne}`
  const inUse = apiErrorOf('moduleDefinitionInUse')
  expect(await superadmin.ask('DELETE', path)).toMatchObject(inUse)
  expect(await superadmin.ask('PATCH', path, { data: { isGlobalPublished: false } })).toMatchObject(inUse)
})

test('an unused definition can be deleted', async () => {
  const { id } = await create('unused')
  expect(await client.ask('DELETE', `/module-definitions/${id}`)).toMatchObject({ status: 204, body: undefined })
  expect(await client.ask('DELETE', `/module-definitions/${id}`)).toMatchObject(apiErrorOf('moduleDefinitionNotFound'))
})
