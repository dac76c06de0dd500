import { apiErrors, type NewApiKey, type ServiceAccount } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let client: Client
let organizationId: string
beforeAll(async () => {
  world = await startHttpWorld()
  const owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  organizationId = owner.organizationId
})
afterAll(() => world?.[Symbol.asyncDispose]())

const create = (name: string, role = 'DEVELOPER') =>
  client.done<ServiceAccount>('POST', '/service-accounts', { data: { name, role } })

/** Creates a key for the account and returns a client that uses it. */
async function program({ id }: ServiceAccount): Promise<Client> {
  const data = { name: 'pipeline', serviceAccountId: id }
  const { token } = await client.done<NewApiKey>('POST', '/api-keys', { data })
  return new Client(world.url, token)
}

test('a service account is created, listed, read and updated', async () => {
  const account = await create('ci')
  expect(account).toEqual({
    id: expect.stringMatching(/^sa_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId,
    name: 'ci',
    role: 'DEVELOPER',
  })
  const path = `/service-accounts/${account.id}`
  expect(await client.done('GET', path)).toEqual(account)
  expect(await client.done('GET', '/service-accounts')).toEqual([account])
  expect(await client.done('PATCH', path, { data: { name: 'deploy' } })).toMatchObject({
    name: 'deploy',
    role: 'DEVELOPER',
  })
  expect(await client.done('PATCH', path, { data: {} })).toMatchObject({ name: 'deploy', role: 'DEVELOPER' })
})

test('it acts with its keys in its current role until it is deleted', async () => {
  const account = await create('robot')
  const robot = await program(account)
  const path = `/service-accounts/${account.id}`
  expect(await robot.done('GET', '/auth/whoami')).toMatchObject({
    principalType: 'SERVICE_ACCOUNT',
    membershipId: account.id,
    role: 'DEVELOPER',
    fullName: 'robot',
  })
  expect((await robot.ask('GET', '/audit-events')).status).toBe(403)
  await client.done('PATCH', path, { data: { role: 'OWNER' } })
  expect((await robot.ask('GET', '/audit-events')).status).toBe(200)
  expect((await client.ask('DELETE', path)).status).toBe(204)
  expect((await robot.ask('GET', '/auth/whoami')).status).toBe(401)
  expect((await client.ask('GET', path)).status).toBe(404)
  expect((await client.ask('PATCH', path, { data: {} })).status).toBe(404)
  expect((await client.ask('DELETE', path)).status).toBe(404)
})

test('it is not a user', async () => {
  const robot = await program(await create('nobody'))
  const refused = { status: 404, body: { code: apiErrors.userNotFound.code } }
  expect(await robot.ask('GET', '/users/me')).toMatchObject(refused)
  expect(await robot.ask('PATCH', '/users/me', { data: { fullName: 'x' } })).toMatchObject(refused)
})

test('names are unique', async () => {
  await create('one')
  const { id } = await create('two')
  const taken = { status: 409, body: { code: apiErrors.serviceAccountNameTaken.code } }
  expect(await client.ask('POST', '/service-accounts', { data: { name: 'one', role: 'VIEWER' } })).toMatchObject(taken)
  expect(await client.ask('PATCH', `/service-accounts/${id}`, { data: { name: 'one' } })).toMatchObject(taken)
})
