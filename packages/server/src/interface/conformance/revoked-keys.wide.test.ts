import { type Route, routes } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { addMember, addServiceAccount } from '../../testing/members.ts'
import { bodyFor, target } from '../../testing/requests.ts'
import { createOneOfEverything, type OneOfEverything } from '../../testing/resources.ts'
import { startWorld, type World } from '../../testing/world.ts'

let world: World
let mine: OneOfEverything
let owner: Client
beforeAll(async () => {
  // Each call has its own address, because invalid keys from one address soon result in 429.
  world = await startWorld({ env: { SLUICE_TRUSTED_PROXIES: '127.0.0.1' } })
  mine = await createOneOfEverything(world.db)
  owner = new Client(world.url, await addMember(world.db, mine.organizationId, 'OWNER'))
})
afterAll(() => world?.[Symbol.asyncDispose]())

const guarded = (Object.values(routes) as Route[]).filter(({ permission }) => permission !== 'anyone')
let calls = 0

async function expectRejected(token: string): Promise<void> {
  const nobody = new Client(world.url, token)
  const check = async (route: Route) => {
    calls += 1
    const headers = { 'x-forwarded-for': `198.51.${Math.floor(calls / 200)}.${calls % 200}` }
    const json = route.body ? JSON.stringify(bodyFor(route, mine)) : undefined
    const { status } = await nobody.send(route.method, target(route, mine), { headers, ...(json && { json }) })
    expect(status).toBe(401)
  }
  await everyCase(guarded, check, { name: ({ method, path }) => `${method} ${path}` })()
}

test('an unknown key is rejected on every route', () => expectRejected(`slc_${'0'.repeat(43)}`))

test('a revoked key is rejected on every route', async () => {
  const key = await owner.done<{ id: string; token: string }>('POST', '/api-keys', { data: { name: 'old' } })
  expect((await owner.ask('DELETE', `/api-keys/${key.id}`)).status).toBe(204)
  await expectRejected(key.token)
})

test('a key of a deleted service account is rejected on every route', async () => {
  const id = newId('sa')
  const token = await addServiceAccount(world.db, mine.organizationId, 'OWNER', id)
  expect((await owner.ask('DELETE', `/service-accounts/${id}`)).status).toBe(204)
  await expectRejected(token)
})
