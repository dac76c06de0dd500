import { apiErrors, type Domain } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { certificates } from '../../cloud/certificates/tables.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let environmentId: string

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  const project = await client.done<{ id: string }>('POST', '/projects', { data: { givenId: 'shop', name: 'Shop' } })
  const data = { projectId: project.id, givenId: 'production', name: 'Production' }
  environmentId = (await client.done<{ id: string }>('POST', '/environments', { data })).id
})
afterAll(() => world?.[Symbol.asyncDispose]())

const create = (name: string) =>
  client.ask('POST', '/domains', { data: { environmentId, name } }) as Promise<{
    status: number
    body: { data: Domain }
  }>

/** Creates a certificate with these names in an account of the organization. */
async function certify(names: string[], status: 'ISSUED' | 'PENDING_VALIDATION'): Promise<string> {
  const account = { data: { givenId: `a-${names[0]?.replaceAll(/\W/g, '-')}`, name: 'Main' } }
  const { id: cloudAccountId } = await client.done<{ id: string }>('POST', '/cloud-accounts', account)
  const id = newId('crt')
  const own = { id, organizationId: owner.organizationId, cloudAccountId, region: 'eu-west-1' }
  await world.db.insert(certificates).values({ ...own, names, status, origin: 'FOUND', writesRecords: false })
  return id
}

test('a domain is unique within an organization, and can be read and deleted', async () => {
  const { status, body } = await create('shop.example.com')
  expect(status).toBe(201)
  expect(body.data).toMatchObject({ name: 'shop.example.com', environmentId, isVerified: false, certificateIds: [] })
  expect(await create('shop.example.com')).toMatchObject({ status: 409, body: { code: apiErrors.domainTaken.code } })
  expect(await client.done('GET', `/domains?environmentId=${environmentId}&name=shop.example.com`)).toEqual([body.data])
  expect(await client.ask('DELETE', `/domains/${body.data.id}`)).toMatchObject({ status: 204 })
  expect(await client.ask('GET', `/domains/${body.data.id}`)).toMatchObject({ status: 404 })
})

test('other organizations may have the same domain', async () => {
  await create('same.example.com')
  const other = await seedOrganization(world.db)
  const stranger = new Client(world.url, other.key)
  const project = await stranger.done<{ id: string }>('POST', '/projects', { data: { givenId: 'shop', name: 'Shop' } })
  const place = { projectId: project.id, givenId: 'production', name: 'Production' }
  const { id } = await stranger.done<{ id: string }>('POST', '/environments', { data: place })
  const data = { environmentId: id, name: 'same.example.com' }
  expect(await stranger.ask('POST', '/domains', { data })).toMatchObject({ status: 201 })
})

test(
  'a domain is verified by a matching certificate',
  everyCase(
    [
      ['with its own name', 'a.verified.example', ['a.verified.example'], true],
      ['by a wildcard', 'b.covered.example', ['*.covered.example'], true],
      ['of two labels not by a wildcard', 'c.d.narrow.example', ['*.narrow.example'], false],
      ['that is a wildcard not by one of its names', '*.wild.example', ['a.wild.example'], false],
    ],
    async (_how, name, names, isVerified) => {
      const certificateId = await certify(names, 'ISSUED')
      const { body } = await create(name)
      expect(body.data).toMatchObject({ isVerified, certificateIds: isVerified ? [certificateId] : [] })
    },
  ),
)

test('a certificate that is not issued verifies nothing', async () => {
  const certificateId = await certify(['e.open.example'], 'PENDING_VALIDATION')
  const { body } = await create('e.open.example')
  expect(body.data).toMatchObject({ isVerified: false, certificateIds: [certificateId] })
})

test(
  'an invalid domain is rejected',
  everyCase(['example', 'Shop.example.com', '-a.example.com', 'a..example.com', 'a.*.example.com'], async (name) => {
    expect(await create(name)).toMatchObject({ status: 400 })
  }),
)
