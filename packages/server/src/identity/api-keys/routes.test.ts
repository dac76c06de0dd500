import { type ApiKey, apiErrors, type NewApiKey, type ServiceAccount } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { apiKeys } from '../organizations/tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function organization() {
  const owner = await seedOrganization(world.db)
  const viewer = new Client(world.url, await addMember(world.db, owner.organizationId, 'VIEWER'))
  return { owner, client: new Client(world.url, owner.key), viewer }
}

const create = (client: Client, data: Record<string, unknown> = {}) =>
  client.ask('POST', '/api-keys', { data: { name: 'laptop', ...data } })
const created = (client: Client, data: Record<string, unknown> = {}) =>
  client.done<NewApiKey>('POST', '/api-keys', { data: { name: 'laptop', ...data } })
const idsSeenBy = async (client: Client) => (await client.done<ApiKey[]>('GET', '/api-keys')).map(({ id }) => id)

test('a key is returned once, works, and stops working when revoked', async () => {
  const { owner, client } = await organization()
  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  const { token, ...key } = await created(client, { expiresAt })
  expect(token).toMatch(/^slc_[\w-]{43}$/)
  expect(key).toEqual({
    id: expect.stringMatching(/^key_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    name: 'laptop',
    tokenHint: token.slice(0, 8),
    membershipId: owner.membershipId,
    expiresAt,
  })
  const path = `/api-keys/${key.id}`
  expect(await client.done('GET', path)).toEqual(key)
  expect(JSON.stringify(await world.db.select().from(apiKeys))).not.toContain(token)

  const holder = new Client(world.url, token)
  expect(await holder.done('GET', '/auth/whoami')).toMatchObject({ identityId: key.id, role: 'OWNER' })
  expect(await client.done('GET', path)).toMatchObject({ lastUsedAt: expect.any(String) })
  expect((await client.ask('DELETE', path)).status).toBe(204)
  expect((await holder.ask('GET', '/auth/whoami')).status).toBe(401)
  expect((await client.ask('GET', path)).status).toBe(404)
  expect((await client.ask('DELETE', path)).status).toBe(404)
  expect(await idsSeenBy(client)).not.toContain(key.id)
})

test('a member manages their own keys, an owner manages all keys', async () => {
  const { client, viewer } = await organization()
  const [own, other] = [await created(viewer), await created(client)]
  expect(await idsSeenBy(viewer)).toContain(own.id)
  expect(await idsSeenBy(viewer)).not.toContain(other.id)
  expect(await idsSeenBy(client)).toEqual(expect.arrayContaining([own.id, other.id]))
  for (const method of ['GET', 'DELETE']) {
    const refused = { status: 404, body: { code: apiErrors.apiKeyNotFound.code } }
    expect(await viewer.ask(method, `/api-keys/${other.id}`)).toMatchObject(refused)
  }
  expect((await client.ask('DELETE', `/api-keys/${own.id}`)).status).toBe(204)
  expect(await client.done<ApiKey[]>('GET', `/api-keys?membershipId=${own.membershipId}`)).toHaveLength(1)
})

test('only owners create keys of service accounts; a service account rotates its own', async () => {
  const { client, viewer } = await organization()
  const data = { name: 'ci', role: 'DEVELOPER' }
  const account = await client.done<ServiceAccount>('POST', '/service-accounts', { data })
  const wish = { serviceAccountId: account.id }
  const key = await created(client, wish)
  expect(key).toMatchObject(wish)
  expect(key).not.toHaveProperty('membershipId')
  expect(await create(viewer, wish)).toMatchObject({ status: 403, body: { code: apiErrors.forbidden.code } })

  const program = new Client(world.url, key.token)
  const renewed = [await created(program), await created(program, wish)]
  for (const one of renewed) expect(one).toMatchObject(wish)
  const ids = [key.id, ...renewed.map(({ id }) => id)]
  expect((await idsSeenBy(program)).toSorted()).toEqual(ids.toSorted())
  expect((await client.done<ApiKey[]>('GET', `/api-keys?serviceAccountId=${account.id}`)).length).toBe(3)
})

test('an unknown service account is reported by its id', async () => {
  const { client } = await organization()
  const foreign = await organization()
  const data = { name: 'ci', role: 'DEVELOPER' }
  const { id } = await foreign.client.done<ServiceAccount>('POST', '/service-accounts', { data })
  const refused = { code: apiErrors.referenceNotFound.code, message: expect.stringContaining(id) }
  expect(await create(client, { serviceAccountId: id })).toMatchObject({ status: 422, body: refused })
})

test.each([['2020-01-01T00:00:00Z'], ['2020-13-45T00:00:00Z'], ['tomorrow']])(
  'a key cannot expire at %s',
  async (expiresAt) => {
    const { client } = await organization()
    expect(await create(client, { expiresAt })).toMatchObject({
      status: 400,
      body: { details: [{ items: [expect.stringMatching(/^\$\.data\.expiresAt: expected/)] }] },
    })
  },
)

test('a token is not written to the audit log', async () => {
  const { client } = await organization()
  const { token, id } = await created(client)
  const events = await client.done('GET', `/audit-events?resourceId=${id}`)
  expect(events).toMatchObject([{ action: 'api-keys.create', resourceType: 'api-key', details: { name: 'laptop' } }])
  expect(JSON.stringify(events)).not.toContain(token)
})
