import { refusals } from '@sluice/contract'
import { expect, test } from 'vitest'
import { newId } from '../platform/ids.ts'
import { seedOrganization, startHttpWorld } from '../testing/http-world.ts'
import { cloudAccounts } from './tables.ts'

test('an account is shown to its own organization, without its external id and event secret', async () => {
  await using world = await startHttpWorld()
  const owner = await seedOrganization(world.db)
  const other = await seedOrganization(world.db)
  const id = newId('ca')
  await world.db.insert(cloudAccounts).values({
    id,
    organizationId: owner.organizationId,
    givenId: 'main',
    name: 'Main',
    status: 'CONNECTED',
    cloudId: '123456789012',
    externalId: 'external',
    eventSecretHash: 'hash',
  })
  const wire = {
    id,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    givenId: 'main',
    name: 'Main',
    status: 'CONNECTED',
    cloudId: '123456789012',
  }

  expect((await world.ask(`/cloud-accounts/${id}`, { key: owner.key })).body).toEqual({ data: wire })
  expect((await world.ask('/cloud-accounts', { key: owner.key })).body).toEqual({
    data: [wire],
    meta: { limit: 20, nextCursor: '', totalCount: 1 },
  })
  const foreign = await world.ask(`/cloud-accounts/${id}`, { key: other.key })
  expect(foreign.status).toBe(404)
  expect(foreign.body.code).toBe(refusals.cloudAccountNotFound.code)
  expect((await world.ask('/cloud-accounts', { key: other.key })).body.data).toEqual([])
})
