import { type Organization, refusals } from '@sluice/contract'
import { expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'

test('the organization is shown to its members and renamed by its owner, others are not there', async () => {
  await using world = await startHttpWorld()
  const [owner, other] = [await seedOrganization(world.db), await seedOrganization(world.db)]
  const client = new Client(world.url, owner.key)
  const path = `/organizations/${owner.organizationId}`
  const organization = await client.done<Organization>('GET', path)
  expect(organization).toEqual({
    id: owner.organizationId,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    givenId: owner.organizationId,
    name: 'Acme',
  })
  expect(await client.done('PATCH', path, { data: {} })).toMatchObject({ name: 'Acme' })
  expect(await client.done('PATCH', path, { data: { name: 'Apex' } })).toMatchObject({ name: 'Apex' })
  expect(await client.done('GET', '/auth/whoami')).toMatchObject({ organizationName: 'Apex' })
  expect((await client.ask('PATCH', path, { data: { name: '' } })).status).toBe(400)
  expect((await client.ask('PATCH', path, { data: { givenId: 'apex' } })).status).toBe(400)

  const foreign = { status: 404, body: { code: refusals.organizationNotFound.code } }
  expect(await client.ask('GET', `/organizations/${other.organizationId}`)).toMatchObject(foreign)
  const rename = { data: { name: 'Mine' } }
  expect(await client.ask('PATCH', `/organizations/${other.organizationId}`, rename)).toMatchObject(foreign)
})
